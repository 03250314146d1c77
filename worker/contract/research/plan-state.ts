import type { ResearchPlan } from './research.ts'

/**
 * True if `versions` contains the answer that carried out the plan. After a deletion or in a fork it is missing, and the plan can be
 * started again.
 */
export const isCompleted = ({ startedAs }: ResearchPlan, planId: string, versions: readonly string[]): boolean =>
  startedAs !== undefined && startedAs !== planId && versions.includes(startedAs)

/** The plan as a numbered list. */
export const planText = ({ steps }: ResearchPlan): string => steps.map(({ text }, index) => `${index + 1}. ${text}`).join('\n')
