"""The one room that looks at the world: files, links, repositories, the parsers' processes."""
