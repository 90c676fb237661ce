#pragma once
struct Held {
  void *p;
  explicit Held(int n);
  Held(const Held &) = delete;
  ~Held();
};
