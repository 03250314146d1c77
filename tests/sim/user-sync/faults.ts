/** How a call of D1 fails: the batch never arrives, or it is committed and nobody hears of it. */
export type Fault = { readonly when: 'before' | 'after'; readonly message: string }
