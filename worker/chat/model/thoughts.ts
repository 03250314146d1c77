/**
 * Moves the thoughts in the text of an answer to the reasoning. Two kinds are known only at their end, after they were shown: a text whose closing
 * mark arrives without an opening one was thoughts, and thoughts whose closing mark never arrives were the answer. Their end then carries
 * `retypedMetadata`.
 */
import type { LanguageModelMiddleware } from 'ai'
import { isRecord } from '../../contract/is-record.ts'
import { ThoughtSplitter } from './thought-splitter.ts'
import type { CallOptions, ProviderModel, ProviderPart } from './types.ts'

/**
 * Models whose servers send thoughts in a field of their own. Any other model may use marks: most are open, and the template that a server
 * applies is not known.
 */
const unmarkedModels = /(?:^|[/.])(?:claude|gpt-\d|chatgpt|o\d+(?:-|$)|gemini|grok)/i

/** In the metadata of an end that carries the type that its block turned out to have. */
export const retypedMetadata = 'parleyRetyped'

/** `wasText`: the mark that the text begins with. */
export type Retyped = { readonly wasReasoning: true } | { readonly wasText: string }

export function retypedIn(metadata: unknown): Retyped | null {
  const retyped = isRecord(metadata) ? metadata[retypedMetadata] : null
  if (!isRecord(retyped)) return null
  if (typeof retyped.wasText === 'string') return { wasText: retyped.wasText }
  return retyped.wasReasoning === true ? { wasReasoning: true } : null
}

/** True for an answer that the model has completed with text. */
export const isCompleted = ({ finishReason }: Extract<ProviderPart, { readonly type: 'finish' }>): boolean =>
  finishReason.unified === 'stop' || finishReason.unified === 'other'

export const mayWriteMarks = (modelId: string): boolean => !unmarkedModels.test(modelId)

export const separateThoughts: LanguageModelMiddleware = {
  specificationVersion: 'v4',
  transformParams: async ({ params }) => ({ ...params, prompt: params.prompt.map(retypedMessage) }),
  // Only titles are not streamed; thoughts without an end are no title.
  wrapGenerate: async ({ doGenerate, model }) => {
    const answer = await doGenerate()
    if (!mayWriteMarks(model.modelId)) return answer
    return {
      ...answer,
      content: answer.content.flatMap((part): Content[] => (part.type === 'text' ? splitContent(model.modelId, part.text) : [part])),
    }
  },
  wrapStream: async ({ doStream, model }) => {
    const answer = await doStream()
    return mayWriteMarks(model.modelId) ? { ...answer, stream: answer.stream.pipeThrough(splitParts(model.modelId)) } : answer
  },
}

type Content = Awaited<ReturnType<ProviderModel['doGenerate']>>['content'][number]

function splitContent(modelId: string, whole: string): Content[] {
  let reasoning = ''
  let text = ''
  const splitter = new ThoughtSplitter(modelId, (piece) => {
    if (piece.type === 'text') text += piece.delta
    if (piece.type === 'reasoning') reasoning += piece.delta
    if (piece.type === 'text-was-reasoning') [reasoning, text] = [text.trim(), '']
  })
  splitter.write(whole)
  splitter.end()
  return [...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]), { type: 'text', text }]
}

/** The splitter's pieces as blocks of the stream. */
function splitParts(modelId: string): TransformStream<ProviderPart, ProviderPart> {
  let emit: (part: ProviderPart) => void = () => {}
  /** The start of the model's open text block, which is sent before its first text. */
  let start: Extract<ProviderPart, { readonly type: 'text-start' }> | null = null
  let isTextOpen = false
  let isThinking = false
  let hasCalls = false
  let blocks = 0
  const textStart = () => start ?? { type: 'text-start', id: 'text' }
  const thoughtsId = () => `thoughts-${blocks}`
  const splitter = new ThoughtSplitter(modelId, (piece) => {
    switch (piece.type) {
      case 'text':
        if (!isTextOpen) emit(textStart())
        isTextOpen = true
        return emit({ type: 'text-delta', id: textStart().id, delta: piece.delta })
      case 'text-was-reasoning':
        isTextOpen = false
        return emit({ type: 'text-end', id: textStart().id, providerMetadata: { [retypedMetadata]: { wasReasoning: true } } })
      case 'reasoning':
        if (!isThinking) {
          blocks += 1
          emit({ type: 'reasoning-start', id: thoughtsId() })
        }
        isThinking = true
        return emit({ type: 'reasoning-delta', id: thoughtsId(), delta: piece.delta })
      case 'reasoning-end': {
        isThinking = false
        const { wasText } = piece
        return emit({
          type: 'reasoning-end',
          id: thoughtsId(),
          ...(wasText === undefined ? {} : { providerMetadata: { [retypedMetadata]: { wasText } } }),
        })
      }
    }
  })
  return new TransformStream({
    transform(part, controller) {
      emit = (each) => controller.enqueue(each)
      switch (part.type) {
        case 'text-start':
          start = part
          return
        case 'text-delta':
          start ??= { type: 'text-start', id: part.id }
          splitter.write(part.delta)
          // Metadata of the provider, such as a signature, belongs to the text so far.
          if (part.providerMetadata && isTextOpen) emit({ ...part, delta: '' })
          return
        case 'text-end':
          // Thoughts stay open: whether they are the answer depends on the finish reason.
          if (!isThinking) splitter.end()
          if (isTextOpen) emit(part)
          isTextOpen = false
          start = null
          return
        case 'reasoning-delta':
          if (part.delta.trim() !== '') splitter.seeReasoning()
          return emit(part)
        case 'tool-input-start':
        case 'tool-call':
          hasCalls = true
          splitter.end()
          return emit(part)
        case 'finish':
          splitter.end(isCompleted(part) && !hasCalls)
          return emit(part)
        case 'error':
          splitter.end()
          return emit(part)
        default:
          return emit(part)
      }
    },
    flush: (controller) => {
      emit = (each) => controller.enqueue(each)
      splitter.end()
    },
  })
}

type Message = CallOptions['prompt'][number]

/** Earlier steps of an answer, as the SDK repeats them to the model. */
function retypedMessage(message: Message): Message {
  if (message.role !== 'assistant') return message
  const content = message.content.map((part) => {
    if (part.type !== 'text' || !retypedIn(part.providerOptions)) return part
    return { type: 'reasoning' as const, text: part.text.trim() }
  })
  return { ...message, content }
}
