rm -f "$dir/page.txt"
