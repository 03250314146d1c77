/**
 * What providers refuse in the definition of a tool, as users of other programs reported it: each sentence is the provider's reason. One refused
 * definition fails the whole request.
 */
import { isRecord } from '../../../worker/contract/is-record.ts'

type Schema = Readonly<Record<string, unknown>>
type Rule = (schema: Schema, isTop: boolean) => string | false

/** OpenAI, and servers that check as it does (modelcontextprotocol/servers, LM Studio, OpenRouter). */
const openAI: readonly Rule[] = [
  ({ type }, isTop) => isTop && type !== 'object' && 'schema must be of type "object"',
  // mark3labs/mcphost#88, langchain-ai/langchain-mcp-adapters#137
  ({ type, properties }) => type === 'object' && !isRecord(properties) && 'object schema missing properties',
  // bnb-chain/bnbchain-mcp#68
  ({ type, items }) => type === 'array' && !isRecord(items) && 'array schema missing items',
  ({ anyOf, oneOf, allOf, not }, isTop) =>
    isTop && [anyOf, oneOf, allOf, not].some(Boolean) && 'no oneOf, anyOf, allOf or not at the top level',
  ({ enum: values }) => Array.isArray(values) && values.length === 0 && 'enum is empty',
  ({ type }) => ![type].flat().every((each) => each === undefined || types.has(each)) && 'type is not known',
  ({ required }) => required !== undefined && (!Array.isArray(required) || required.some((name) => typeof name !== 'string')) && 'required',
]

const types: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

const anthropic: readonly Rule[] = [
  // makenotion/notion-mcp-server#341, anthropics/claude-code#95504
  ({ anyOf, oneOf, allOf }, isTop) =>
    isTop && [anyOf, oneOf, allOf].some(Boolean) && 'does not support oneOf, allOf, or anyOf at the top level',
  ({ properties }, isTop) =>
    isTop &&
    isRecord(properties) &&
    Object.keys(properties).some((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) &&
    'Property keys should match pattern',
]

/** Words that Google does not know (google-gemini/gemini-cli#13326, promptfoo/promptfoo#6902). */
const unknownToGoogle = [
  ...['$ref', '$defs', 'definitions', '$schema', '$id', '$anchor', '$dynamicRef', 'const', 'oneOf', 'allOf', 'not', 'if', 'then', 'else'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'patternProperties', 'propertyNames', 'dependentRequired', 'prefixItems'],
  ...['unevaluatedProperties', 'contains', 'uniqueItems'],
]

const google: readonly Rule[] = [
  (schema) => unknownToGoogle.find((word) => word in schema) ?? false,
  ({ additionalProperties }) => typeof additionalProperties === 'boolean' && 'Unknown name "additionalProperties"',
  // google-gemini/gemini-cli#2237
  ({ format }) => format !== undefined && format !== 'date-time' && "only 'enum' and 'date-time' are supported for STRING type",
  // router-for-me/CLIProxyAPI#1076
  ({ enum: values }) =>
    values !== undefined &&
    !(Array.isArray(values) && values.every((each) => typeof each === 'string' && each !== '')) &&
    'enum is of texts',
  ({ type, items }) => type === 'array' && !isRecord(items) && 'items: missing field',
  ({ required, properties }) =>
    Array.isArray(required) &&
    required.some((name) => !isRecord(properties) || !Object.hasOwn(properties, String(name))) &&
    'required: property is not defined',
]

const rules = { openAI, anthropic, google }

/** Why a provider refuses the arguments of a tool; empty if none does. */
export const schemaRefusals = (schema: unknown): readonly string[] =>
  Object.entries(rules).flatMap(([provider, each]) => refusalsIn(schema, each, true).map((reason) => `${provider}: ${reason}`))

function refusalsIn(schema: unknown, each: readonly Rule[], isTop: boolean): readonly string[] {
  if (!isRecord(schema)) return ['a schema is an object']
  const own = each.flatMap((rule) => rule(schema, isTop) || [])
  const { properties, items, additionalProperties, anyOf } = schema
  const inner = [
    ...(isRecord(properties) ? Object.values(properties) : []),
    ...(items === undefined ? [] : [items]),
    ...(isRecord(additionalProperties) ? [additionalProperties] : []),
    ...(Array.isArray(anyOf) ? anyOf : []),
  ]
  return [...own, ...inner.flatMap((next) => refusalsIn(next, each, false))]
}

/** Why a provider refuses the name of a tool. Google: no digit at the beginning (wonderwhy-er/DesktopCommanderMCP#79). */
export const nameRefusals = (names: readonly string[]): readonly string[] => [
  ...names.filter((name) => !/^[a-zA-Z_][\w-]{0,63}$/.test(name)).map((name) => `${name} is no name`),
  ...(new Set(names).size < names.length ? ['names must be unique'] : []),
  // zed-industries/zed#32946
  ...(names.length > 128 ? ['array too long. Expected an array with maximum length 128'] : []),
]
