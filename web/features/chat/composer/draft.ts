/** A draft with the choices for its message, and the parsers of stored ones. No side effects. */

import { type AttachedFile, parseFiles } from '../../../../worker/contract/files/files.ts'
import { type Effort, effortLevels } from '../../../../worker/contract/models/effort.ts'
import { isTurnMode, type TurnMode } from '../../../../worker/contract/models/modes.ts'

/** `answerId`: the answer that was being written at that time, else the last that counts (rule T7 in `worker/turns/SPEC.md`). */
export type PickedModel = { readonly modelId: string; readonly answerId: string | null }
type ModelChoices = { readonly modelId: string | null; readonly picked: PickedModel | null }

/**
 * Choices for one message. They belong to its draft: they move, are stored, offered, restored and deleted with it, and end when the message
 * leaves the composer.
 */
export type MessageChoices = {
  readonly mode: TurnMode
  /** For this message only: answers in place of the model of the thread or, in a new thread, of the user. */
  readonly modelId: string | null
  /** For the thread, until another model answers it. */
  readonly picked: PickedModel | null
  /** The choices before the model was switched to one that reads the files. Null: it was not switched. */
  readonly switchedFrom: ModelChoices | null
  /** The model stays, although it cannot read the files: the user has chosen so. */
  readonly keepsModel: boolean
  /** The models that answer besides the selected one. */
  readonly comparedIds: readonly string[]
  /** The effort of the thread that the message starts. */
  readonly effort: Effort | null
  /** The tools that are switched off in the thread that the message starts. Null: as in its project. */
  readonly offTools: readonly string[] | null
  /** Where prompts came from that the user inserted into its text and did not write (`UserMessage.origins`). Kept after the user deletes that text, which undo restores. */
  readonly origins: readonly string[]
}

export const defaultChoices: MessageChoices = {
  mode: 'chat',
  modelId: null,
  picked: null,
  switchedFrom: null,
  keepsModel: false,
  comparedIds: [],
  effort: null,
  offTools: null,
  origins: [],
}

export const isDefault = ({ mode, modelId, picked, comparedIds, effort, offTools }: MessageChoices): boolean =>
  mode === 'chat' && modelId === null && picked === null && comparedIds.length === 0 && effort === null && offTools === null

/** The choices for the message after this one. A thread keeps its model, and a new thread starts with the defaults. */
export const choicesAfter = ({ picked }: MessageChoices, isNewThread: boolean): MessageChoices =>
  isNewThread ? defaultChoices : { ...defaultChoices, picked }

function parseModels(value: object): ModelChoices {
  const { modelId, picked } = value as { readonly modelId?: unknown; readonly picked?: { readonly [field in keyof PickedModel]?: unknown } }
  const pickedId = asText(picked?.modelId)
  return { modelId: asText(modelId) || null, picked: pickedId ? { modelId: pickedId, answerId: asText(picked?.answerId) || null } : null }
}

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [])

export function parseChoices(value: unknown): MessageChoices {
  if (typeof value !== 'object' || value === null) return defaultChoices
  const { mode, switchedFrom, keepsModel, comparedIds, effort, offTools, origins } = value as {
    readonly [field in keyof MessageChoices]?: unknown
  }
  return {
    mode: isTurnMode(mode) ? mode : 'chat',
    ...parseModels(value),
    switchedFrom: switchedFrom ? parseModels(switchedFrom) : null,
    keepsModel: keepsModel === true,
    comparedIds: textsIn(comparedIds),
    effort: effortLevels.find((level) => level === effort) ?? null,
    offTools: offTools ? textsIn(offTools) : null,
    origins: textsIn(origins),
  }
}

export type Editing = { readonly messageId: string; readonly parentId: string | null }

/** The draft on the server that the local text is based on. `pendingRevisions`: of own writes without an outcome (`write-draft.ts`). */
export type Synced = { readonly revision: string | null; readonly text: string; readonly pendingRevisions: readonly string[] }

export type Content = {
  readonly text: string
  /** Uploaded already. */
  readonly files: readonly AttachedFile[]
  readonly choices: MessageChoices
}

export type Message = Content & {
  readonly editing: Editing | null
  /** Draft that editing replaced; restored when editing ends. */
  readonly beforeEditing: Content
}

export const emptyContent: Content = { text: '', files: [], choices: defaultChoices }

export type Draft = Message & {
  /** Names of the files whose upload has not finished in this page. */
  readonly uploading: readonly string[]
  /** Names of files whose upload was cut off when an earlier page closed; kept until the user attaches them again or dismisses the notice. */
  readonly interrupted: readonly string[]
  readonly synced: Synced | null
}

export type StoredDraft = Draft & {
  readonly key: string
  /** Its page could not restore it, because the composer held another draft. */
  readonly isOffered: boolean
}

/** Uploads end with their page, so stored `uploading` names become `interrupted`. */
export function parseDraft(value: object): StoredDraft | null {
  const { key, text, files, choices, editing, beforeEditing, uploading, interrupted, isOffered, synced } = value as {
    readonly [field in keyof StoredDraft]?: unknown
  }
  if (typeof key !== 'string') return null
  const content = { ...asContent({ text, files, choices }), beforeEditing: asContent(beforeEditing), editing: parseEditing(editing) }
  const names = [...new Set([...asNames(interrupted), ...asNames(uploading)])]
  return { key, isOffered: isOffered === true, ...content, uploading: [], interrupted: names, synced: parseSynced(synced) }
}

function parseSynced(value: unknown): Synced | null {
  if (typeof value !== 'object' || value === null) return null
  const { revision, text, pendingRevisions } = value as { readonly [key in keyof Synced]?: unknown }
  return { revision: asText(revision) || null, text: asText(text), pendingRevisions: asNames(pendingRevisions) }
}

function asContent(value: unknown): Content {
  if (typeof value !== 'object' || value === null) return emptyContent
  const { text, files, choices } = value as { readonly [key in keyof Content]?: unknown }
  return { text: asText(text), files: parseFiles(files), choices: parseChoices(choices) }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function asNames(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}

export function parseEditing(value: unknown): Editing | null {
  if (typeof value !== 'object' || value === null || !('messageId' in value) || !('parentId' in value)) return null
  const { messageId, parentId } = value
  if (typeof messageId !== 'string' || (parentId !== null && typeof parentId !== 'string')) return null
  return { messageId, parentId }
}
