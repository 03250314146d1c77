/**
 * Events of OpenAI-compatible servers that differ from the schema, each with the right outcome. Known from public reports about vLLM, llama.cpp, SGLang,
 * LocalAI, Ollama, LiteLLM, OpenRouter, Azure, Groq, Mistral, Moonshot, MiniMax, Z.ai and NVIDIA.
 */
import type { FailureCode } from '../../../worker/contract/threads/messages.ts'
import { choice, delta, done, ends, type Quirk, says } from './quirk-events.ts'
import { toolQuirks } from './tool-quirks.ts'

const counts = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
const uses = (usage: unknown, choices: unknown = []) => ({ ...choice({}), choices, usage })
const hello = 'Hello world'
const answer = says('Hello ', 'world')

const framing: readonly Quirk[] = [
  { name: 'no finish reason, then [DONE]', sends: [...answer, done], text: hello },
  { name: 'no finish reason and no [DONE]', sends: answer, text: hello, code: 'model_unreachable' },
  { name: 'an end in the middle of an event', sends: [...answer, 'data: {"choices":[{"del'], text: hello, code: 'model_unreachable' },
  { name: 'no empty line after [DONE]', sends: [...answer, 'data: [DONE]'], text: hello },
  { name: 'no empty line after the last event', sends: [...answer, `data: ${JSON.stringify(delta({}, 'stop'))}`], text: hello },
  {
    name: 'comments, empty lines, event names and ids',
    sends: [': open\n\n', '\n\n', 'event: message\nid: 7\n', ...answer, ': on\n\n', ...ends()],
    text: hello,
  },
  {
    name: 'lines that end with CR LF, no space after the colon',
    sends: [...answer, ...ends()].map((each) => (typeof each === 'string' ? each : `data:${JSON.stringify(each)}\r\n\r\n`)),
    text: hello,
  },
  { name: 'a byte order mark', sends: ['\ufeff', ...answer, ...ends()], text: hello },
  {
    name: 'a ping, and an event without a part of the answer',
    sends: ['event: ping\ndata: {"type":"ping"}\n\n', ...answer, 'data: {}\n\n', ...ends()],
    text: hello,
  },
  { name: 'events of another protocol', sends: [{ type: 'message_start' }, { type: 'message_stop' }, done], code: 'model_nonsense' },
  { name: 'an event that is no JSON', sends: [...answer, 'data: {"choices":\n\n', ...ends()], text: hello, code: 'model_nonsense' },
]

const text: readonly Quirk[] = [
  {
    name: 'fields that are null',
    sends: [
      delta({ role: 'assistant', content: null, refusal: null, tool_calls: null, function_call: null, reasoning_content: null }),
      { ...delta({ content: hello }), id: null, created: null, model: null, error: null, usage: null, system_fingerprint: null },
      ...ends(),
    ],
    text: hello,
  },
  {
    name: 'fields of another type',
    sends: [{ ...delta({ content: hello, role: 'model' }), id: 7, created: '1', model: 8, error: '', usage: '' }, ...ends()],
    text: hello,
  },
  {
    name: 'the role in each event',
    sends: [...[...hello].map((content) => delta({ role: 'assistant', content })), ...ends()],
    text: hello,
  },
  {
    name: 'no index, no id, no finish reason in the events',
    sends: [{ choices: [{ delta: { content: hello } }] }, ...ends()],
    text: hello,
  },
  {
    name: 'an event without choices first, as Azure sends it',
    sends: [{ choices: [], id: '', model: '', prompt_filter_results: [] }, ...answer, choice({ finish_reason: 'stop' }), done],
    text: hello,
  },
  {
    name: 'content as a list of texts',
    sends: [delta({ content: [{ type: 'text', text: 'Hello ' }, { type: 'output_text', text: 'wor' }, 'ld'] }), ...ends()],
    text: hello,
  },
  { name: 'content as an object', sends: [delta({ content: { type: 'text', text: hello } }), ...ends()], text: hello },
  { name: 'content as a number', sends: [delta({ content: 4 }), delta({ content: 2 }), ...ends()], text: '42' },
  {
    name: '`message` in place of `delta`',
    sends: [choice({ message: { content: 'Hello ' } }), choice({ message: { content: 'world' }, finish_reason: 'stop' }), done],
    text: hello,
  },
  {
    name: 'an empty delta beside a message',
    sends: [choice({ delta: { role: 'assistant', content: '' }, message: { content: hello } }), ...ends()],
    text: hello,
  },
  {
    name: 'the whole message again in the last event',
    sends: [...answer, choice({ message: { content: hello }, finish_reason: 'stop' }), done],
    text: hello,
  },
  {
    name: 'the whole text again in the last delta',
    sends: [...says('Hello big ', 'wide world'), delta({ content: 'Hello big wide world' }, 'stop'), done],
    text: 'Hello big wide world',
  },
  {
    name: 'a last word that repeats a short text',
    sends: [...says('ha', 'ha'), delta({ content: 'haha' }, 'stop'), done],
    text: 'hahahaha',
  },
  {
    name: 'text in the choice, as in legacy completions',
    sends: [choice({ text: 'Hello ' }), choice({ text: 'world' }), choice({ text: '', finish_reason: 'stop' }), done],
    text: hello,
  },
  {
    name: 'the events of Ollama’s own route',
    sends: [
      { message: { role: 'assistant', content: hello }, done: false },
      { message: { content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 4 },
    ],
    text: hello,
    usage: [3, 4],
  },
  { name: 'a delta that is a text', sends: [choice({ delta: 'Hello ' }), choice({ delta: 'world' }), ...ends()], text: hello },
  {
    name: 'a second choice before the first',
    sends: [
      {
        choices: [
          { index: 1, delta: { content: 'Bye' } },
          { index: 0, delta: { content: hello } },
        ],
      },
      ...ends(),
    ],
    text: hello,
  },
  { name: 'a refusal', sends: [delta({ content: null, refusal: 'I can’t help.' }), ...ends()], text: 'I can’t help.' },
  { name: 'a refusal that is a boolean', sends: [delta({ content: hello, refusal: false }), ...ends()], text: hello },
]

const thoughts: readonly Quirk[] = [
  ...Object.entries({
    reasoning: 'hm',
    reasoning_content: 'hm',
    reasoning_text: 'hm',
    thinking: 'hm',
    reasoning_details: [
      { type: 'reasoning.text', text: 'hm' },
      { type: 'reasoning.encrypted', data: 'xyz' },
    ],
    thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }],
  }).map(([field, value]) => ({
    name: `thoughts in \`${field}\``,
    sends: [delta({ content: '', [field]: value }), ...answer, ...ends()],
    text: hello,
    reasoning: 'hm',
  })),
  {
    name: 'thoughts in two fields',
    sends: [delta({ reasoning: 'hm', reasoning_details: [{ type: 'reasoning.summary', summary: 'hm' }] }), ...answer, ...ends()],
    text: hello,
    reasoning: 'hm',
  },
  {
    name: 'an empty field of thoughts before the one that is used',
    sends: [delta({ reasoning_content: '', reasoning: 'hm' }), ...answer, ...ends()],
    text: hello,
    reasoning: 'hm',
  },
  {
    name: 'thoughts in a list of content',
    sends: [delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }), ...answer, ...ends()],
    text: hello,
    reasoning: 'hm',
  },
  { name: '`<think>` in the text', sends: [...says('<thi', 'nk>hm</', 'think>\n\n'), ...answer, ...ends()], text: hello, reasoning: 'hm' },
  {
    name: 'only `</think>`',
    sends: [...says('They greet me.\n', '</think>\n\n'), ...answer, ...ends()],
    text: hello,
    reasoning: 'They greet me.',
  },
  {
    name: '`<think>` in a code block',
    sends: [...says('```js\n', 'a(/<think>.*<\\/think>/)\n', '```'), ...ends()],
    text: '```js\na(/<think>.*<\\/think>/)\n```',
  },
  {
    name: 'channels of gpt-oss',
    sends: [
      ...says('<|channel|>analysis', '<|message|>hm<|end|>', '<|start|>assistant<|channel|>final<|message|>'),
      ...answer,
      ...says('<|return|>'),
      ...ends(),
    ],
    text: hello,
    reasoning: 'hm',
  },
  { name: 'a mark of the template at the end', sends: [...answer, ...says('<|im_', 'end|>'), ...ends()], text: hello },
]

const ended = (reason: unknown, code?: FailureCode): Quirk => ({
  name: `the finish reason ${JSON.stringify(reason)}`,
  sends: [...answer, ...ends(reason)],
  text: hello,
  ...(code ? { code } : {}),
})

const endings: readonly Quirk[] = [
  ...['STOP', 'eos', 'end_turn', 'stop_sequence', 'COMPLETE', '<|im_end|>', 0, { type: 'stop' }].map((reason) => ended(reason)),
  ...['MAX_TOKENS', 'model_length'].map((reason) => ended(reason, 'model_length')),
  ...['SAFETY', 'content-filter', 'sensitive'].map((reason) => ended(reason, 'model_filtered')),
  ...['error'].map((reason) => ended(reason, 'model_error')),
  ...['network_error'].map((reason) => ended(reason, 'model_unreachable')),
  {
    name: 'an empty finish reason in each event, then [DONE]',
    sends: [...answer.map(({ choices: [each] }) => choice({ ...each, finish_reason: '' })), done],
    text: hello,
  },
  {
    name: 'an empty finish reason in each event, and a cut',
    sends: answer.map(({ choices: [each] }) => choice({ ...each, finish_reason: '' })),
    text: hello,
    code: 'model_unreachable',
  },
  { name: 'the finish reason twice', sends: [...answer, delta({}, 'stop'), delta({ content: '' }, 'stop'), done], text: hello },
  { name: 'an error in the stream', sends: [...answer, { error: { message: 'No.', code: 429 } }], text: hello, code: 'model_busy' },
  { name: 'an error as a text', sends: [...answer, { error: 'upstream failed' }, done], text: hello, code: 'model_error' },
  {
    name: 'an error in the choice',
    sends: [...answer, choice({ delta: { content: '' }, finish_reason: 'error', error: { code: 402, message: 'No.' } })],
    text: hello,
    code: 'model_out_of_funds',
  },
  {
    name: 'an error event',
    sends: [...answer, 'event: error\ndata: {"message":"No.","status":401}\n\n'],
    text: hello,
    code: 'model_refused_key',
  },
  { name: 'an error without the field `error`', sends: [{ object: 'error', message: 'No.', code: 400 }, done], code: 'model_error' },
  { name: 'an error of FastChat', sends: [{ text: 'NETWORK ERROR', error_code: 50001 }, done], code: 'model_error' },
  { name: 'an error that is only a code and a message', sends: [{ code: '1302', msg: 'Rate limit' }, done], code: 'model_error' },
]

const usages: readonly Quirk[] = [
  { name: 'usage in an own event', sends: [...answer, delta({}, 'stop'), uses(counts), done], text: hello, usage: [3, 4] },
  {
    name: 'usage in an event without choices',
    sends: [...answer, delta({}, 'stop'), uses(counts, undefined), done],
    text: hello,
    usage: [3, 4],
  },
  {
    name: 'usage with texts and null',
    sends: [
      ...answer,
      delta({}, 'stop'),
      uses({ ...counts, prompt_tokens: '3', prompt_tokens_details: null, completion_tokens_details: { reasoning_tokens: '2' } }),
      done,
    ],
    text: hello,
    usage: [3, 4],
  },
  { name: 'usage that is null, then missing', sends: [...answer, uses(null), ...ends()], text: hello, usage: [undefined, undefined] },
  {
    name: 'usage by the names of Anthropic',
    sends: [...answer, { ...delta({}, 'stop'), usage: { input_tokens: 3, output_tokens: 4 } }, done],
    text: hello,
    usage: [3, 4],
  },
  {
    name: 'usage in the choice',
    sends: [...answer, choice({ delta: {}, finish_reason: 'stop', usage: counts }), done],
    text: hello,
    usage: [3, 4],
  },
  { name: 'usage of Groq', sends: [...answer, { ...delta({}, 'stop'), x_groq: { usage: counts } }, done], text: hello, usage: [3, 4] },
  {
    name: 'usage of 0 in each event, then the counts',
    sends: [
      ...answer.map((each) => ({ ...each, usage: { prompt_tokens: 0, completion_tokens: 0 } })),
      { ...delta({}, 'stop'), usage: counts },
      done,
    ],
    text: hello,
    usage: [3, 4],
  },
]

export const quirks: readonly Quirk[] = [...framing, ...text, ...thoughts, ...endings, ...usages, ...toolQuirks]
