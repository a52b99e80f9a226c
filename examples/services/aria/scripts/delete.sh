rm -f "$dir/index.html"
