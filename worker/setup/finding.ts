/** What trying one part has shown, in a sentence for whoever deploys. */
export type Finding = { readonly state: 'works' | 'wrong' | 'off'; readonly detail: string }

export const works = (detail: string): Finding => ({ state: 'works', detail })
export const wrong = (detail: string): Finding => ({ state: 'wrong', detail })
export const off = (detail: string): Finding => ({ state: 'off', detail })
