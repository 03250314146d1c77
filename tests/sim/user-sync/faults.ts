/** How a call of D1 fails: the batch never arrives, or it is committed and nobody hears of it, with an error or without a word. */
export type Fault = { readonly when: 'before' | 'after' | 'silent'; readonly message: string }
/** It is on its way until whoever holds it lets it arrive, which throws what D1 says to it. */
export type Held = { readonly when: 'held'; readonly hold: (arrive: () => void) => void }

export const isWrite = (text: string): boolean => /^\s*(insert|update|delete)\b/i.test(text)
