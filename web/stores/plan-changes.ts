/**
 * Steps of plans that were changed here and that the server has not confirmed yet. The sync client delivers the change itself, also after a
 * reload, but tells only the page that made it what became of it: here this tab keeps what was written until somebody has heard.
 */
import { createStore, type Store } from './store.ts'
import { keepInTab, keptInTab } from './tab-storage.ts'

export type SentStep = {
  readonly threadId: string
  /** The message that holds the plan. */
  readonly messageId: string
  readonly stepId: string
  readonly text: string
  /** What it said before; null for a new one. */
  readonly was: string | null
}

const key = 'parley:plan-steps'

/** Nobody hears what becomes of these: their page was reloaded, or hidden for long. */
export const unheardSteps: Store<readonly SentStep[]> = createStore(readKept())
let heardSteps: readonly SentStep[] = []

/** From now on the caller hears what becomes of it. Of one step the last change counts. */
export function keepStep(step: SentStep): void {
  drop(isOf(step))
  heardSteps = [...heardSteps, step]
  write()
}

/** The caller will not hear it. */
export function leaveStep(step: SentStep): void {
  if (!heardSteps.includes(step)) return
  drop((other) => other === step)
  unheardSteps.set([...unheardSteps.get(), step])
  write()
}

export function forgetStep(step: SentStep): void {
  drop((other) => other === step)
  write()
}

/** For signing out: the next person must not find what this one was writing. */
export function forgetSteps(): void {
  drop(() => true)
  write()
}

function drop(isMeant: (step: SentStep) => boolean): void {
  heardSteps = heardSteps.filter((step) => !isMeant(step))
  if (unheardSteps.get().some(isMeant)) unheardSteps.set(unheardSteps.get().filter((step) => !isMeant(step)))
}

const isOf =
  ({ messageId, stepId }: SentStep) =>
  (other: SentStep): boolean =>
    other.messageId === messageId && other.stepId === stepId

function write(): void {
  const steps = [...unheardSteps.get(), ...heardSteps]
  keepInTab(key, steps.length === 0 ? null : steps)
}

function readKept(): readonly SentStep[] {
  const value = keptInTab(key)
  return Array.isArray(value) ? value.filter(isSentStep) : []
}

function isSentStep(value: unknown): value is SentStep {
  if (typeof value !== 'object' || value === null) return false
  const { threadId, messageId, stepId, text, was } = value as { readonly [field in keyof SentStep]?: unknown }
  return [threadId, messageId, stepId, text].every((field) => typeof field === 'string') && (was === null || typeof was === 'string')
}
