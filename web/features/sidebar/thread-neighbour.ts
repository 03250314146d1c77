}

/** The neighbour of a thread in the list, wrapping around. Without an open thread, down opens the first and up the last. */
export function neighbourOf(ids: readonly string[], current: string | undefined, step: 1 | -1): string | undefined {
  const index = current === undefined ? -1 : ids.indexOf(current)
  if (index < 0) return ids.at(step === 1 ? 0 : -1)
  return ids[(index + step + ids.length) % ids.length]
}
