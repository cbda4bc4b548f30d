// In place of MSW: the types compile as where it is not installed.

export {};
