/** How a turn is answered: by the model alone, with web search, or by a research of several steps. */
export const turnModes = ['chat', 'search', 'research'] as const
export type TurnMode = (typeof turnModes)[number]

export const isTurnMode = (value: unknown): value is TurnMode => turnModes.some((mode) => mode === value)
