/**
 * Choices for the next message of a thread: its mode, a model for this message only, the other models that answer it, and the effort of the
 * next new thread. Stored with the draft and restored after a reload, except for the other models.
 */

import { type Effort, effortLevels } from '../../../../worker/contract/effort.ts'
import { isTurnMode, type TurnMode } from '../../../../worker/contract/modes.ts'
import { idsWithPrefix, removeAll, withStorage } from '../../../lib/browser-storage.ts'
import { onLocalDataDeletion } from '../../../lib/local-user-data.ts'
import { createStore, createStores } from '../../../lib/store.ts'
import type { ModelRow } from '../../../sync/rows.ts'

const prefix = 'parley:mode:'
const overridePrefix = 'parley:once-model:'
const effortKey = 'parley:new-effort'

const stored = (key: string) => withStorage((storage) => storage.getItem(key))
/** Null removes the entry: the default is not stored. */
const store = (key: string, value: string | null) =>
  withStorage((storage) => (value === null ? storage.removeItem(key) : storage.setItem(key, value)))

const modes = createStores((key): TurnMode => {
  const mode = stored(prefix + key)
  return isTurnMode(mode) ? mode : 'chat'
})
const modelOverrides = createStores((key) => stored(overridePrefix + key) ?? null)

/** `key`: a thread's id, or `newThreadKey` of the drafts. */
export const turnModeOf = modes.of
/** The id of the model for the next message only. */
export const modelOverrideOf = modelOverrides.of

export function chooseTurnMode(key: string, mode: TurnMode): void {
  turnModeOf(key).set(mode)
  store(prefix + key, mode === 'chat' ? null : mode)
}

export function chooseModelOverride(key: string, modelId: string | null): void {
  modelOverrideOf(key).set(modelId)
  store(overridePrefix + key, modelId)
}

/**
 * After sending, the thread keeps its mode, except that Research becomes Chat: follow-ups on a report are chat. The next new thread starts
 * with the default.
 */
export function setModeAfterSending(key: string, threadId: string): void {
  const mode = turnModeOf(key).get()
  chooseTurnMode(threadId, mode === 'research' ? 'chat' : mode)
  if (key !== threadId) chooseTurnMode(key, 'chat')
}

/** When a new thread is made temporary, or regular again. */
export function moveChoices(from: string, to: string): void {
  chooseTurnMode(to, turnModeOf(from).get())
  chooseModelOverride(to, modelOverrideOf(from).get())
  comparedModelsOf(to).set(comparedModelsOf(from).get())
}

/** Keys of the stored modes and model overrides. */
export const threadsWithStoredChoices = (): readonly string[] => [...idsWithPrefix(prefix), ...idsWithPrefix(overridePrefix)]

/** The first message of a new thread moves it to the thread. */
export const newThreadEffort = createStore<Effort | null>(effortLevels.find((level) => level === stored(effortKey)) ?? null)

/** Null after sending. */
export function chooseNewEffort(effort: Effort | null): void {
  newThreadEffort.set(effort)
  store(effortKey, effort)
}

const none: readonly ModelRow[] = []
const comparedModels = createStores(() => none)

/** The models that answer the next message besides the selected one. `key`: as for `turnModeOf`. */
export const comparedModelsOf = comparedModels.of

/** For a permanently deleted thread. */
export function deleteNextTurn(threadId: string): void {
  chooseTurnMode(threadId, 'chat')
  chooseModelOverride(threadId, null)
  comparedModelsOf(threadId).set(none)
}

/** For signing out. */
export function deleteNextTurns(): void {
  for (const mode of modes.all()) mode.set('chat')
  for (const model of modelOverrides.all()) model.set(null)
  for (const models of comparedModels.all()) models.set(none)
  removeAll(prefix)
  removeAll(overridePrefix)
  chooseNewEffort(null)
}

onLocalDataDeletion(deleteNextTurns)
