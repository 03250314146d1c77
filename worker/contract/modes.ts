/** How a turn is answered: from what the model knows, with tools, or by a research of several steps. Data, so that both sides and the record name the same ones. */
export const turnModes = ['chat', 'search', 'research'] as const
export type TurnMode = (typeof turnModes)[number]

export const isTurnMode = (value: unknown): value is TurnMode => turnModes.some((mode) => mode === value)
