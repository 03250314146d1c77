/**
 * The tool calls of a research. Every call contains its step in its input and id, so the parts show the progress. Separate from
 * `research.ts`, because every page loads that file. Pure.
 */
import { isRecord } from '../is-record.ts'
import { isPageRead, isSearch } from '../models/tools.ts'
import type { MessagePart, ToolPart } from '../threads/messages.ts'
import { isPlan } from './research.ts'

export const findingsTool = 'findings'

export const isFindings = (part: MessagePart): part is ToolPart => part.type === `tool-${findingsTool}`
/** All parts of a research before the report text. */
export const isResearchWork = (part: MessagePart): part is ToolPart =>
  isPlan(part) || isFindings(part) || ((isSearch(part) || isPageRead(part)) && stepOf(part) !== null)

/** The step of a tool call. */
export const stepOf = ({ input }: ToolPart): string | null => (isRecord(input) && typeof input.step === 'string' ? input.step : null)

/** The findings of a step. Null while they are not complete. */
export const findingsOf = (part: ToolPart): string | null =>
  isFindings(part) && part.state === 'output-available' && isRecord(part.output) && typeof part.output.text === 'string'
    ? part.output.text
    : null

export const searchCallId = (step: string, index: number): string => `search-${step}-${index}`
export const pageCallId = (step: string, index: number): string => `page-${step}-${index}`
export const findingsCallId = (step: string): string => `findings-${step}`
