/** The arguments of a tool call as form fields: one for each property of a flat schema, otherwise one field of JSON. Pure. */
import { isRecord } from '../../../../worker/contract/is-record.ts'
import type { ToolPart } from '../../../../worker/contract/threads/messages.ts'
import { t } from './texts/en.ts'

type Json = Exclude<ToolPart['input'], undefined>

export type ArgumentField = {
  readonly name: string
  readonly kind: 'text' | 'number' | 'boolean'
  readonly description: string | undefined
  readonly isRequired: boolean
}

export type Values = { readonly [name: string]: string | boolean }

/** Null if the schema has a property that is no text, number or boolean, or if the input has a value that no property names. */
export function fieldsOf(schema: Json | null | undefined, input: Json): readonly ArgumentField[] | null {
  if (!isRecord(schema) || !isRecord(schema.properties) || !isRecord(input)) return null
  const required = Array.isArray(schema.required) ? schema.required : []
  const fields = Object.entries(schema.properties).map(([name, property]) => fieldOf(name, property, required.includes(name)))
  const names = new Set(Object.keys(schema.properties))
  if (Object.keys(input).some((name) => !names.has(name))) return null
  return fields.length > 0 && fields.every((field) => field !== null) ? fields : null
}

function fieldOf(name: string, property: unknown, isRequired: boolean): ArgumentField | null {
  if (!isRecord(property)) return null
  const { type, description } = property
  const kind = type === 'string' ? 'text' : type === 'number' || type === 'integer' ? 'number' : type === 'boolean' ? 'boolean' : null
  return kind && { name, kind, description: typeof description === 'string' ? description : undefined, isRequired }
}

/** The values of the fields. Absent arguments are empty. */
export const valuesOf = (fields: readonly ArgumentField[], input: Json): Values =>
  Object.fromEntries(
    fields.map(({ name, kind }) => {
      const value = isRecord(input) ? input[name] : undefined
      return [name, kind === 'boolean' ? value === true : value == null ? '' : String(value)]
    }),
  )

type Input = { readonly [name: string]: Json }
type Parsed = { readonly ok: true; readonly input: Input } | { readonly ok: false; readonly problem: string }

/** An empty field of an optional argument leaves it out. */
export function inputOf(fields: readonly ArgumentField[], values: Values): Parsed {
  const input: Record<string, Json> = {}
  for (const { name, kind, isRequired } of fields) {
    const value = values[name] ?? ''
    if (kind === 'boolean') input[name] = value === true
    else if (value === '' && !isRequired) continue
    else if (kind === 'text') input[name] = String(value)
    else if (value === '' || Number.isNaN(Number(value))) return { ok: false, problem: t('notANumber') }
    else input[name] = Number(value)
  }
  return { ok: true, input }
}

export function parseInput(text: string): Parsed {
  try {
    const input: unknown = JSON.parse(text)
    if (!isRecord(input)) return { ok: false, problem: t('notAnObject') }
    // `JSON.parse` returns JSON.
    return { ok: true, input: input as Input }
  } catch (error) {
    return { ok: false, problem: t('notJson', { problem: error instanceof Error ? error.message : '' }) }
  }
}

/** Control and invisible characters. They can hide what is sent, or show it in another order. */
const hidden = /[^\P{C}\n\t]|\p{Zl}|\p{Zp}|(?!(?<=\p{Emoji})\uFE0F)\p{Default_Ignorable_Code_Point}|\u2800/gu

/** The value of an argument as text, with invisible characters as escapes. */
export function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.replaceAll(hidden, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
