extern "C" void work(unsigned long bytes);

int main() {
  work(1024);
  return 0;
}
