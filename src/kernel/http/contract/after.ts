/**
 * Continues with a value, at once if it is already there. Each needless await of the pipeline costs
 * a turn of the microtask queue (1 µs per request in total).
 */
export function after<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>) {
  return value instanceof Promise ? value.then(next) : next(value)
}
