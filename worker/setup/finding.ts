/** The result of one check, with a sentence for the operator. `warning`: the part works, but has a risk. */
export type Finding = { readonly state: 'works' | 'warning' | 'wrong' | 'off'; readonly detail: string }

export const works = (detail: string): Finding => ({ state: 'works', detail })
export const warning = (detail: string): Finding => ({ state: 'warning', detail })
export const wrong = (detail: string): Finding => ({ state: 'wrong', detail })
export const off = (detail: string): Finding => ({ state: 'off', detail })
