/** Worlds that once came to a bad end, run first and for ever. A failure prints what to add here. */
export const regressionSeeds: readonly { readonly seed: number; readonly events: number; readonly what: string }[] = [
  { seed: 46, events: 120, what: 'the second page of a browser, after the object had lost its storage' },
  { seed: 9, events: 120, what: 'a browser that had never written, after the object had lost its storage' },
  { seed: 929, events: 300, what: 'a turn whose generation was not told of it, after the object had lost its storage' },
]
