/** Quirks of tool calls. */
import { choice, delta, done, ends, type Quirk, says } from './quirk-events.ts'

const call = (fields: object, index: unknown = 0) => ({ index, id: 'a', type: 'function', ...fields })
const input = (query: string) => JSON.stringify({ query })
const searches = (query: string, fields: object = {}) => ({ name: 'search', arguments: input(query), ...fields })
const calls = (...tool_calls: readonly object[]) => delta({ tool_calls })

const found = (name: string, ...sends: Quirk['sends']): Quirk => ({ name, sends, searches: ['tides'], text: 'Done.' })
const foundBoth = (name: string, ...sends: Quirk['sends']): Quirk => ({ ...found(name, ...sends), searches: ['tides', 'bread'] })
const toolEnd = ends('tool_calls')

export const toolQuirks: readonly Quirk[] = [
  found('a numeric id', calls(call({ id: 7, function: searches('tides') })), ...toolEnd),
  found('no id and no type', calls({ index: 0, function: searches('tides') }), ...toolEnd),
  found('arguments as an object', calls(call({ function: searches('tides', { arguments: { query: 'tides' } }) })), ...toolEnd),
  found(
    'an empty object of arguments, then texts',
    calls(call({ function: { name: 'search', arguments: {} } })),
    calls(call({ function: { arguments: input('tides') } })),
    ...toolEnd,
  ),
  found(
    'arguments in pieces, the name and a new id in each',
    ...['{"query"', ': "tides', '"}'].map((piece, at) => calls(call({ id: `id-${at}`, function: { name: 'search', arguments: piece } }))),
    ...toolEnd,
  ),
  found(
    'arguments in pieces, without an index',
    ...['{"query"', ': "tides', '"}'].map((piece, at) =>
      calls({ ...(at === 0 ? { id: 'a' } : {}), function: { ...(at === 0 ? { name: 'search' } : {}), arguments: piece } }),
    ),
    ...toolEnd,
  ),
  found(
    'the name after the arguments',
    calls(call({ function: { arguments: input('tides') } })),
    calls(call({ function: { name: 'search' } })),
    ...toolEnd,
  ),
  found(
    'a name with a mark of the template',
    calls(call({ function: searches('tides', { name: 'search<|channel|>commentary' }) })),
    ...toolEnd,
  ),
  found('an index as a text', calls(call({ function: searches('tides') }, '0')), ...toolEnd),
  found('calls that are an object', delta({ tool_calls: call({ function: searches('tides') }) }), ...toolEnd),
  found('a call without `function`', calls(call(searches('tides'))), ...toolEnd),
  found('a legacy `function_call`', delta({ function_call: searches('tides') }), ...ends('function_call')),
  found('the finish reason `stop`', calls(call({ function: searches('tides') })), ...ends('stop')),
  found('the finish reason `tool_use`', calls(call({ function: searches('tides') })), ...ends('tool_use')),
  found('no finish reason, then [DONE]', calls(call({ function: searches('tides') })), done),
  found(
    'a last piece of null',
    calls(call({ function: searches('tides') })),
    calls({ index: 0, id: null, type: null, function: { name: null, arguments: null } }),
    ...toolEnd,
  ),
  found(
    'the call again in a message at the end',
    calls(call({ function: searches('tides') })),
    choice({ message: { content: null, tool_calls: [call({ function: searches('tides') })] }, finish_reason: 'tool_calls' }),
    done,
  ),
  foundBoth(
    'two calls with the same index',
    calls(call({ function: searches('tides') })),
    calls(call({ id: 'b', function: searches('bread') })),
    ...toolEnd,
  ),
  foundBoth(
    'two calls without an index',
    calls({ id: 'a', function: searches('tides') }, { id: 'b', function: searches('bread') }),
    ...toolEnd,
  ),
  foundBoth('two calls without an index and an id', calls({ function: searches('tides') }, { function: searches('bread') }), ...toolEnd),
  foundBoth(
    'two calls whose pieces alternate',
    calls(
      call({ function: { name: 'search', arguments: '{"query"' } }),
      call({ id: 'b', function: { name: 'search', arguments: '{"query"' } }, 1),
    ),
    calls({ index: 0, function: { arguments: ':"tides"}' } }, { index: 1, function: { arguments: ':"bread"}' } }),
    ...toolEnd,
  ),
  foundBoth(
    'the calls of Workers AI',
    {
      response: null,
      tool_calls: [searches('tides', { arguments: { query: 'tides' } }), searches('bread', { arguments: { query: 'bread' } })],
    },
    done,
  ),
  found(
    'a call in tags',
    ...says('<tool_', `call>\n${JSON.stringify(searches('tides', { arguments: { query: 'tides' } }))}\n</tool_call>`),
    ...ends(),
  ),
  {
    ...found('a call in tags behind thoughts', ...says('<think>hm</think>\n\n<tool_call>', JSON.stringify(searches('tides'))), ...ends()),
    reasoning: 'hm',
  },
  found(
    'a call with a tag for each parameter',
    ...says('<tool_call>\n<function=search>\n<parameter=query>\ntides\n</parameter>\n</function>\n</tool_call>'),
    ...ends(),
  ),
  found('a call of GLM', ...says('<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>tides</arg_value>\n</tool_call>'), ...ends()),
  found(
    'a call of Kimi',
    ...says(
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0',
      `<|tool_call_argument_begin|>${input('tides')}<|tool_call_end|><|tool_calls_section_end|>`,
    ),
    ...ends(),
  ),
  foundBoth(
    'calls of DeepSeek',
    ...says(
      '<｜tool▁calls▁begin｜>',
      ...['tides', 'bread'].map((query) => `<｜tool▁call▁begin｜>search<｜tool▁sep｜>${input(query)}<｜tool▁call▁end｜>`),
      '<｜tool▁calls▁end｜>',
    ),
    ...ends(),
  ),
  found(
    'a call of DeepSeek R1',
    ...says(
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n```json\n',
      `${input('tides')}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>`,
    ),
    ...ends(),
  ),
  foundBoth(
    'calls of MiniMax',
    ...says(
      '<minimax:tool_call>\n',
      ...['tides', 'bread'].map((query) => `<invoke name="search">\n<parameter name="query">${query}</parameter>\n</invoke>\n`),
      '</minimax:tool_call>',
    ),
    ...ends(),
  ),
  found('a call as JSON', ...says('{"na', `me": "search", "parameters": ${input('tides')}}`), ...ends()),
  found(
    'a call of gpt-oss',
    ...says('<|channel|>commentary to=functions.search <|constrain|>json', `<|message|>${input('tides')}<|call|>`),
    ...ends(),
  ),
  found('a call of Mistral', ...says('[TOOL_CALLS]', `search[ARGS]${input('tides')}`), ...ends()),
  foundBoth('calls of Mistral', ...says(`[TOOL_CALLS]${JSON.stringify([searches('tides'), searches('bread')])}`), ...ends()),
  {
    ...foundBoth(
      'a text, then calls in tags',
      ...says('I look.\n\n', ...['tides', 'bread'].map((query) => `<tool_call>${JSON.stringify(searches(query))}</tool_call>\n`)),
      ...ends(),
    ),
    text: 'I look.\n\n\n\nDone.',
  },
  ...[
    '```\n<tool_call>{"name": "search", "arguments": {"query": "tides"}}</tool_call>\n```',
    'It writes <tool_call>{"name": "search", "arguments": {"query": "tides"}}</tool_call>',
    '<tool_call>{"name": "shop", "arguments": {"query": "tides"}}</tool_call>',
    '<tool_call>{"name": "search", "arguments": {"query": "tides"}}</tool_call>\nHere is what I found.',
    '<tool_call> is a tag.',
    '{"name": "search"',
    '{"name": "Ada", "born": 1815}',
    '{ }',
    '[TOOL_CALLS] of Mistral',
  ].map((text) => ({ name: `no call: ${text}`, sends: [...says(...text.split(/(?<=[ >])/)), ...ends()], searches: [], text })),
]
