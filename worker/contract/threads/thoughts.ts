import type { ReasoningPart } from './messages.ts'

/** Some providers open and close an empty reasoning block at once. Shorter blocks are not shown. */
const shortestThoughtMs = 500

/** True if the reasoning is shown: it has text, or it has no text but took time. */
export const hasBeenThought = ({ text, durationMs }: ReasoningPart): boolean => text !== '' || (durationMs ?? 0) >= shortestThoughtMs
