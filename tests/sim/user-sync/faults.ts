/** How a call of D1 fails: the batch does not arrive, or it is committed and the answer is lost, with an error or without. */
export type Fault = { readonly when: 'before' | 'after' | 'silent'; readonly message: string }
/** The request is in flight until the holder lets it arrive. `arrive` throws D1's error. */
export type Held = { readonly when: 'held'; readonly hold: (arrive: () => void) => void }

export const isWrite = (text: string): boolean => /^\s*(insert|update|delete)\b/i.test(text)
