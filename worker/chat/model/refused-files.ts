/**
 * Finds the files that made a provider refuse a request. With such a file every later request of the thread would fail, so later requests to
 * the same model leave it out (`turns/turn-commands.ts`).
 */
import { type FileKind, fileKindOf, filesOf } from '../../contract/files/files.ts'
import type { ChatMessage, RefusedFile } from '../../contract/threads/messages.ts'
import type { GenerationInput } from '../../contract/threads/turn.ts'
import type { Outcome } from './call.ts'
import { readErrorDetails } from './failures.ts'

type Turn = Pick<GenerationInput, 'history'> & { readonly model: Pick<GenerationInput['model'], 'id'> }

/** `sentIds`: the images and PDFs of the request. */
export function withRefusedFiles(outcome: Outcome, turn: Turn, sentIds: ReadonlySet<string>): Outcome {
  if (outcome.ending !== 'failed' || !fileFailures.has(outcome.failure.code)) return outcome
  const files = refusedFiles(outcome.error, turn, sentIds)
  return files.length === 0 ? outcome : { ...outcome, failure: { code: 'file_refused', files } }
}

/** Failures that a file can cause. A file that is too large for a provider is reported like a text that is too long. */
const fileFailures: ReadonlySet<string> = new Set(['model_error', 'model_unreachable', 'conversation_too_long'])

type SentFile = RefusedFile & { readonly kind: FileKind; readonly wasRead: boolean }

function refusedFiles(error: unknown, { history, model }: Turn, sentIds: ReadonlySet<string>): readonly RefusedFile[] {
  const sent = sentFiles(history, model.id, sentIds)
  if (sent.length === 0) return []
  const { text, status } = readErrorDetails(error)
  // A proxy's page about a failed connection may name pictures and documents that are not of this request.
  if (/<(?:!doctype|html)\b/i.test(text) || (status !== null && gatewayStatuses.has(status))) return []
  const lines = text.replace(/https?:\/\/\S+/g, '').split('\n')
  const blaming = lines.filter((line) => blamesFile.test(line)).join('\n')
  const unread = sent.filter(({ wasRead }) => !wasRead)
  // Some providers give no reason. The files that no answer has read yet are the probable reason.
  if (blaming === '') return status !== null && refusals.has(status) && isUnspecific.test(text) ? unread.map(plain) : []
  const named = sent.filter(({ name }) => name !== '' && blaming.includes(name))
  const ofKind = sent.filter(({ kind }) => kinds.some((pattern) => pattern.kind === kind && pattern.words.test(blaming)))
  const suspects = [named, ofKind, sent].find((files) => files.length > 0) ?? []
  const unreadSuspects = suspects.filter(({ wasRead }) => !wasRead)
  return (unreadSuspects.length > 0 ? unreadSuspects : suspects).map(plain)
}

const plain = ({ id, name }: SentFile): RefusedFile => ({ id, name })

/** `wasRead`: this model has completed an answer after the file. */
function sentFiles(history: readonly ChatMessage[], modelId: string, sentIds: ReadonlySet<string>): readonly SentFile[] {
  const lastRead = history.findLastIndex(
    (message) => message.role === 'assistant' && message.metadata.ending === 'completed' && message.metadata.modelId === modelId,
  )
  const files = history.flatMap((message, index) =>
    filesOf(message)
      .filter(({ id }) => sentIds.has(id))
      .map(({ id, name, mediaType }) => ({
        id,
        name: message.role === 'user' ? name : '',
        kind: fileKindOf(mediaType),
        wasRead: index < lastRead,
      })),
  )
  return [...new Map(files.map((file) => [file.id, file])).values()]
}

const fileWords = /image|picture|photo|\b(?:png|jpe?g|gif|webp|pdf|document|file|attachment)s?\b|base64|media[_ -]?type|mime/i.source
const faultWords =
  /could(?: not|n['’]t)|can(?: ?not|['’]t)|unable|fail|invalid|not (?:a )?valid|unsupported|not support|support(?:s|ed)? only|corrupt|damaged|encrypt|password|malformed|broken|\bempty\b|no pages|truncated|exceed|too (?:large|many|big|small)|maximum|unknown format|unrecogni[sz]ed|cannot identify|do(?:es)?(?: not|n['’]t) match|bad/i
    .source

/** A line that names a kind of file and a fault. */
const blamesFile = new RegExp(`(?:${fileWords}).{0,160}?(?:${faultWords})|(?:${faultWords}).{0,160}?(?:${fileWords})`, 'i')

const kinds: readonly { readonly kind: FileKind; readonly words: RegExp }[] = [
  { kind: 'document', words: /\b(?:pdf|document)s?\b/i },
  { kind: 'image', words: /image|picture|photo|\b(?:png|jpe?g|gif|webp)s?\b/i },
]

const gatewayStatuses: ReadonlySet<number> = new Set([408, 502, 504])

/** Statuses of a request that is refused for its content. */
const refusals: ReadonlySet<number> = new Set([400, 413, 415, 422])
/** The only explanation that Google and other providers give. */
const isUnspecific =
  /request contains an invalid argument|invalid (?:content|input|request body|data)\b|(?:unable|failed) to process (?:the )?(?:input|request|content)/i
