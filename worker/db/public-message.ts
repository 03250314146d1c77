/** What other users may see of a message on a shared page and in a copy of it. Pure. */
import { isFileAddress } from '../contract/files/files.ts'
import { isRecord } from '../contract/is-record.ts'
import { isPageRead, isSearch } from '../contract/models/tools.ts'
import type { AnswerMessage, ChatMessage, FilePart, MessagePart } from '../contract/threads/messages.ts'
import { isReadable, partsIn } from '../contract/threads/readable-parts.ts'

/**
 * Reasoning, the inputs of tools and the plan of a research can contain the owner's profile or the
 * instructions of a project; costs and ids of the owner are in the metadata. The app leaves out damaged parts of a message, so this does too.
 */
export function publicMessage(stored: unknown): ChatMessage {
  const message = isRecord(stored) ? stored : {}
  const parts = partsIn(message).filter(isReadable).flatMap(publicPart)
  if (message.role === 'user') return { id: '', role: 'user', parts }
  // Every field may be missing from a damaged message.
  const {
    modelId = '',
    modelName = '',
    modelIcon = '',
    ending = 'completed',
    mode,
    demo,
    imported,
    answeredBy,
  } = (isRecord(message.metadata) ? message.metadata : {}) as Partial<AnswerMessage['metadata']>
  const metadata: AnswerMessage['metadata'] = {
    ...{ modelId, modelName, modelIcon, ending, credits: 0 },
    ...(mode === 'search' && { mode }),
    ...(demo && { demo }),
    ...(imported && { imported }),
    ...(answeredBy && { answeredBy }),
  }
  return { id: '', role: 'assistant', parts, metadata }
}

function publicPart(part: MessagePart): MessagePart[] {
  if (part.type === 'text' && 'text' in part) return [{ type: 'text', text: part.text }]
  if (part.type === 'file' || part.type === 'source-url') return [part]
  return (isSearch(part) || isPageRead(part)) && part.state === 'output-available' ? [{ ...part, input: {} }] : []
}

export const isStoredFile = (part: MessagePart): part is FilePart => part.type === 'file' && 'url' in part && isFileAddress(part.url)
