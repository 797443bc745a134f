import sys

for line in sys.stdin:
    size, mean = map(int, line.split())
    print(mean + (size - mean) / 8)
