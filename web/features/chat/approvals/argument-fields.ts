/** The arguments of a tool call as a form, if their schema is flat; otherwise they are changed as JSON. Pure. */
import { isRecord } from '../../../../worker/contract/is-record.ts'
import type { ToolPart } from '../../../../worker/contract/threads/messages.ts'
import { plainField } from '../../../../worker/contract/tools/model-schema.ts'
import type { InputAnswer, InputField, InputSchema } from '../../../../worker/contract/tools/server-input.ts'
import { t } from './texts/en.ts'

type Json = Exclude<ToolPart['input'], undefined>

export type ArgumentsForm = { readonly schema: InputSchema; readonly given: InputAnswer }

/** False for a tool that takes no arguments. */
export function isChangeable(schema: Json | null | undefined, input: Json): boolean {
  if (!isRecord(schema)) return false
  const { properties, additionalProperties } = schema
  return (isRecord(properties) && !isEmpty(properties)) || isRecord(additionalProperties) || !(isRecord(input) && isEmpty(input))
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0

/** Null if a property or a value does not fit a field, or if the input has a value that no property names. */
export function argumentsForm(schema: Json | null | undefined, input: Json): ArgumentsForm | null {
  if (!isRecord(schema) || !isRecord(schema.properties) || !isRecord(input)) return null
  const fields = Object.entries(schema.properties).map(
    ([name, property]) => [name, fieldOf(plainField(schema, property), input[name])] as const,
  )
  const named = fields.flatMap(([name, field]) => (field ? [[name, field] as const] : []))
  const properties = Object.fromEntries(named)
  if (named.length === 0 || named.length < fields.length || Object.keys(input).some((name) => !Object.hasOwn(properties, name))) return null
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : []
  // `fieldOf` has checked every value.
  return { schema: { type: 'object', properties, required, additionalProperties: false }, given: input as InputAnswer }
}

/** Null if a field cannot show the value. The server checks what is left out here, such as formats. */
function fieldOf(property: unknown, value: Json | undefined): InputField | null {
  if (!isRecord(property)) return null
  const { type, items } = property
  const isAbsent = value === undefined
  const shared = typeof property.description === 'string' ? { description: property.description } : {}
  if (type === 'boolean') {
    const preset = typeof property.default === 'boolean' ? { default: property.default } : {}
    return isAbsent || typeof value === 'boolean' ? { ...shared, type, ...preset } : null
  }
  if (type === 'number' || type === 'integer')
    return isAbsent || typeof value === 'number' ? { ...shared, type, ...numbersIn(property, 'minimum', 'maximum') } : null
  if (type === 'string') {
    const options = optionsOf(property)
    if (!options)
      return isAbsent || typeof value === 'string' ? { ...shared, type, ...numbersIn(property, 'minLength', 'maxLength') } : null
    return isAbsent || options.some((option) => option === value) ? { ...shared, type, enum: options } : null
  }
  const options = type === 'array' && isRecord(items) && items.type === 'string' ? optionsOf(items) : null
  if (!options) return null
  const isChosen = Array.isArray(value) && value.every((one) => options.some((option) => option === one))
  if (!isAbsent && !isChosen) return null
  return { ...shared, type: 'array', items: { type: 'string', enum: options }, ...numbersIn(property, 'minItems', 'maxItems') }
}

/** An empty text means in a form that nothing is chosen, so it cannot be an option. */
function optionsOf({ enum: options }: { readonly [name: string]: unknown }): readonly string[] | null {
  const isClosed = Array.isArray(options) && options.length > 0 && options.every((option) => typeof option === 'string' && option !== '')
  return isClosed ? (options as readonly string[]) : null
}

const numbersIn = <Name extends string>(property: { readonly [name: string]: unknown }, ...names: readonly Name[]) =>
  Object.fromEntries(names.flatMap((name) => (typeof property[name] === 'number' ? [[name, property[name]]] : []))) as {
    readonly [name in Name]?: number
  }

/** The name of the only field if the arguments are changed as JSON. */
export const jsonField = 'json'

type Parsed =
  | { readonly ok: true; readonly answer: { readonly [name: string]: Json } }
  | { readonly ok: false; readonly problems: { readonly [jsonField]: string } }

export function parseInput(text: string): Parsed {
  const failed = (problem: string): Parsed => ({ ok: false, problems: { [jsonField]: problem } })
  try {
    const input: unknown = JSON.parse(text)
    // `JSON.parse` returns JSON.
    return isRecord(input) ? { ok: true, answer: input as { readonly [name: string]: Json } } : failed(t('notAnObject'))
  } catch {
    // The reason of the browser is English.
    return failed(t('notJson'))
  }
}

/** Control and invisible characters. They can hide what is sent, or show it in another order. */
const hidden = /[^\P{C}\n\t]|\p{Zl}|\p{Zp}|(?!(?<=\p{Emoji})\uFE0F)\p{Default_Ignorable_Code_Point}|\u2800/gu

/** The value of an argument as text, with invisible characters as escapes. */
export function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.replaceAll(hidden, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
