/** Computes the value of each object once. */
export function memoByObject<Key extends object, Value extends string | number | object>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const cache = new WeakMap<Key, Value>()
  return (key) => {
    const value = cache.get(key) ?? compute(key)
    cache.set(key, value)
    return value
  }
}
