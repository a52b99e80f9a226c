"""What tosca-parser does with a template, from the file to the object model: tosca_side.py FILE"""
import sys
import urllib.error

from toscaparser.tosca_template import ToscaTemplate

print(len(ToscaTemplate(sys.argv[1]).nodetemplates))
