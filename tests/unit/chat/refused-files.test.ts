// The error of a provider identifies the refused file, with any wording, and only this file.
import { describe, expect, test } from 'vitest'
import { ModelStreamError } from '../../../worker/chat/model/errors.ts'
import { failureOf } from '../../../worker/chat/model/failures.ts'
import { withRefusedFiles } from '../../../worker/chat/model/refused-files.ts'
import { type FileType, filePart } from '../../../worker/contract/files/files.ts'
import type { ChatMessage, Ending } from '../../../worker/contract/threads/messages.ts'

const question = (id: string, ...files: readonly (readonly [name: string, mediaType: FileType])[]): ChatMessage => ({
  id,
  role: 'user',
  parts: [
    ...files.map(([name, mediaType]) => filePart({ id: `id-of-${name}`, name, mediaType, sizeBytes: 10 })),
    { type: 'text', text: 'What is this?' },
  ],
})
const answer = (id: string, changes: { readonly modelId?: string; readonly ending?: Ending } = {}): ChatMessage => ({
  id,
  role: 'assistant',
  parts: [{ type: 'text', text: 'This.' }],
  metadata: { modelId: 'model', modelName: 'Model', modelIcon: 'x', ending: 'completed', credits: 1, ...changes },
})
const pdf = ['locked.pdf', 'application/pdf'] as const
const png = ['broken.png', 'image/png'] as const
const jpeg = ['photo.jpg', 'image/jpeg'] as const
const text = ['notes.txt', 'text/plain'] as const

const called = (statusCode: number, message: string, body: unknown = { error: { message } }) =>
  Object.assign(new Error(message), { name: 'AI_APICallError', statusCode, responseBody: JSON.stringify(body) })

/** The names of the refused files; null if the failure has another reason. */
function refused(error: unknown, history: readonly ChatMessage[]): readonly string[] | null {
  const sentIds = new Set(
    history
      .flatMap(({ parts }) => parts)
      .flatMap((part) => (part.type === 'file' && 'url' in part ? [part.url.split('/').at(-1) ?? ''] : [])),
  )
  const outcome = { ending: 'failed', failure: failureOf(error), error } as const
  const found = withRefusedFiles(outcome, { history, model: { id: 'model' } }, sentIds)
  if (found.ending === 'completed' || found.failure.code !== 'file_refused') return null
  return found.failure.files?.map(({ name }) => name) ?? []
}

const ofPdf: Readonly<Record<string, Error>> = {
  Anthropic: called(400, 'messages.0.content.0.pdf.source.base64.data: The PDF specified is password protected.'),
  'Anthropic, broken': called(400, 'The PDF specified was not valid.'),
  'Anthropic, too many pages': called(400, 'A maximum of 100 PDF pages may be provided.'),
  'Bedrock, an event': new ModelStreamError({
    error: { message: 'The model returned the following errors: Could not process document', code: 400 },
  }),
  OpenAI: called(400, "Failed to extract text from file 'locked.pdf'."),
  'OpenAI, by type': called(400, "Invalid file data: 'file_data'. Expected a base64-encoded data URL with an application/pdf MIME type."),
  Gemini: called(400, 'The document has no pages.'),
  'Gemini, without a reason': called(400, 'Request contains an invalid argument.', {
    error: { code: 400, message: 'Request contains an invalid argument.', status: 'INVALID_ARGUMENT' },
  }),
  OpenRouter: called(422, 'Failed to parse locked.pdf'),
  'a gateway': called(500, 'Error: document could not be decrypted: bad password'),
  Mistral: called(400, 'Document content is corrupt or unsupported'),
}
const ofImage: Readonly<Record<string, Error>> = {
  Anthropic: called(400, 'Could not process image'),
  'Anthropic, other type': called(
    400,
    'messages.2.content.0.image.source.base64.media_type: The image was specified using image/png, but does not match its bytes',
  ),
  'Anthropic, too large': called(400, 'messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 6 MB > 5242880 bytes'),
  OpenAI: called(400, 'You uploaded an unsupported image. Please make sure your image is valid.', {
    error: { message: 'You uploaded an unsupported image.', type: 'invalid_request_error', code: 'image_parse_error' },
  }),
  Gemini: called(
    400,
    'Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
  ),
  'Gemini, invalid': called(400, 'Provided image is not valid.'),
  Ollama: called(500, 'failed to process inputs: image: unknown format'),
  'llama.cpp': called(400, 'Failed to load image or audio file'),
  vLLM: called(400, 'cannot identify image file <_io.BytesIO object at 0x7f>'),
  Groq: called(400, 'invalid image data'),
  xAI: called(400, 'Unsupported content-type encountered when downloading image'),
  Mistral: called(400, "Image, 'data:image/png;base64…', could not be loaded as a valid image."),
  'Workers AI': Object.assign(new Error('3010: Invalid or incomplete input for the model: failed to decode image'), {
    name: 'InferenceUpstreamError',
  }),
  OpenRouter: called(404, 'No endpoints found that support image input: not supported'),
}

describe.each([
  ['PDF', ofPdf, pdf, png],
  ['image', ofImage, png, pdf],
] as const)('a refused %s', (_kind, errors, own, other) => {
  test.each(Object.entries(errors))('is named: %s', (_provider, error) => {
    expect(refused(error, [question('1', own)])).toEqual([own[0]])
    // Text is never sent as a file.
    expect(
      refused(
        error,
        [question('1', text)].map((message) => ({ ...message, parts: message.parts.slice(1) })),
      ),
    ).toBeNull()
  })

  test('is told from a file of another kind, where the provider names the kind', () => {
    const told = Object.entries(errors).filter(([, error]) => !/argument|file data|bytes'/.test(error.message))
    for (const [provider, error] of told) expect(refused(error, [question('1', other, own)]), provider).toEqual([own[0]])
  })

  test('is one that this model has not read before', () => {
    for (const [provider, error] of Object.entries(errors)) {
      const read = [question('1', [`old ${own[0]}`.replace('old locked', 'old'), own[1]]), answer('2'), question('3', own)]
      expect(refused(error, read), provider).toEqual([own[0]])
      const failed = [question('1', own), answer('2', { ending: 'failed' }), question('3')]
      expect(refused(error, failed), provider).toEqual([own[0]])
      const byOther = [question('1', own), answer('2', { modelId: 'other' }), question('3')]
      expect(refused(error, byOther), provider).toEqual([own[0]])
    }
  })
})

test('several files of the kind are all named, and one whose name the error contains alone', () => {
  expect(refused(called(400, 'Could not process image'), [question('1', png, jpeg, pdf)])).toEqual([png[0], jpeg[0]])
  expect(refused(called(422, 'Failed to parse photo.jpg'), [question('1', png, jpeg, pdf)])).toEqual([jpeg[0]])
})

test.each([
  called(401, 'Invalid API key. See the documentation for images.'),
  called(429, 'Too many image requests, could not process image'),
  called(400, "Unsupported parameter: 'temperature' is not supported with this model. See https://example.com/docs/images-and-files"),
  called(400, "Invalid value for 'reasoning_effort'"),
  called(400, 'prompt is too long: 210000 tokens > 200000 maximum'),
  called(400, 'The input was flagged by the content policy: image unsupported'),
  called(502, '<html><img src="error.png"><p>The document could not be loaded</html>'),
  called(500, 'Internal server error'),
  Object.assign(new TypeError('fetch failed'), { cause: new Error('connect ECONNREFUSED') }),
])('another failure blames no file: %s', (error) => {
  expect(refused(error, [question('1', png, pdf)])).toBeNull()
})

test('a request without explanation blames no file that this model has read', () => {
  const error = called(400, 'Request contains an invalid argument.')
  expect(refused(error, [question('1', png), answer('2'), question('3')])).toBeNull()
})
