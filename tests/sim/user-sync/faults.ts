/** How a call of D1 fails: the batch never arrives, or it is committed and nobody hears of it, with an error or without a word. */
export type Fault = { readonly when: 'before' | 'after' | 'silent'; readonly message: string }
