/**
 * The requests of a server to the user during a call (elicitation), as bounded values. Everything is parsed; nothing is trusted. Throws a `ToolFailure` for
 * a request that cannot be shown as a form of one level.
 */

import type { ElicitResult } from '@modelcontextprotocol/client'
import { isRecord } from '../../../contract/is-record.ts'
import {
  maxInputAsks,
  maxInputFields,
  maxInputMessageChars,
  maxInputOptions,
  maxInputTextChars,
  maxInputUrlChars,
  maxRequestStateChars,
} from '../../../contract/limits.ts'
import { cutAt } from '../../../contract/text.ts'
import { plainField } from '../../../contract/tools/model-schema.ts'
import type { InputAnswer, InputAsk, InputField, InputSchema } from '../../../contract/tools/server-input.ts'
import { oneLine, visibleText } from '../../../contract/visible-text.ts'
import { sha256Hex } from '../../../lib/digests.ts'
import { ToolFailure } from '../tool-failure.ts'
import { isPublicAddress } from './egress.ts'
import { sortedJson } from './server-offer.ts'

/** The state that the next call needs. Stored sealed. */
export type CallState = {
  /** How often the user was asked. */
  readonly rounds: number
  /** The requests of the form, in its order. `key`: their names at the server (protocol of 2026). */
  readonly asked: readonly AskedInput[]
  /** Earlier answers. A server of 2025 asks all of its requests again with each call. */
  readonly answered: readonly AnsweredInput[]
  /** Belongs to the server, which gets it back unread (protocol of 2026). */
  readonly requestState?: string
}

type AskedInput = { readonly key: string; readonly digest: string; readonly isForm: boolean }

/** `answer`: null if the user declined. */
export type AnsweredInput = Omit<AskedInput, 'key'> & { readonly answer: InputAnswer | null }

/** `answers`: for each request of the form; absent: the user declined. */
export type ResumedCall = { readonly state: CallState; readonly answers: readonly InputAnswer[] | undefined }

/** A call that ended, because its server asks the user. */
export type AskingCall = { readonly asks: readonly InputAsk[]; readonly state: CallState }

/** The newest answers of the user, by the names of the requests at the server. */
export const answersOf = ({ state, answers }: ResumedCall): readonly (AskedInput & AnsweredInput)[] =>
  state.asked.map((asked, index) => ({ ...asked, answer: answers?.[index] ?? null }))

/** All answers, in the order of the requests. */
export const answeredIn = (resumed: ResumedCall | undefined): readonly AnsweredInput[] =>
  resumed ? [...resumed.state.answered, ...answersOf(resumed).map(({ key: _key, ...answered }) => answered)] : []

export function resultOf({ isForm, answer }: AnsweredInput): ElicitResult {
  if (!answer) return { action: 'decline' }
  return { action: 'accept', ...(isForm && { content: contentOf(answer) }) }
}

/** The lists of the SDK are mutable. */
const contentOf = (answer: InputAnswer): Record<string, string | number | boolean | string[]> =>
  Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]))

/** `params` of `elicitation/create`. Equal requests have equal digests. The id of a request for an address differs in each call. */
export const digestOf = async (params: unknown): Promise<string> => {
  const { elicitationId: _id, _meta, ...asked } = isRecord(params) ? params : {}
  return sha256Hex(sortedJson(asked))
}

/** `requests`: by their names at the server. */
export async function askingCall(
  requests: Readonly<Record<string, unknown>>,
  { rounds, answered, requestState }: Pick<CallState, 'rounds' | 'answered'> & { readonly requestState?: string | undefined },
  isLocalAllowed: boolean,
): Promise<AskingCall> {
  const entries = Object.entries(requests)
  if (entries.length === 0 || entries.length > maxInputAsks || (requestState ?? '').length > maxRequestStateChars)
    throw new ToolFailure('asks_unshown', unshown)
  const requested = await Promise.all(
    entries.map(async ([key, params]) => {
      const ask = askOf(params, isLocalAllowed)
      return { ask, asked: { key, digest: await digestOf(params), isForm: 'schema' in ask } }
    }),
  )
  const asks = requested.map(({ ask }) => ask)
  const asked = requested.map((request) => request.asked)
  return { asks, state: { rounds, asked, answered, ...(requestState !== undefined && { requestState }) } }
}

export const unshown = 'The server asked the user for input in a form that Parley cannot show.'

function askOf(params: unknown, isLocalAllowed: boolean): InputAsk {
  if (!isRecord(params) || typeof params.message !== 'string') throw new ToolFailure('asks_unshown', unshown)
  const { mode = 'form', url, requestedSchema } = params
  const message = cutAt(visibleText(params.message).trim().toWellFormed(), maxInputMessageChars)
  if (mode === 'url') return { message, url: addressOf(url, isLocalAllowed) }
  const schema = mode === 'form' ? schemaOf(requestedSchema) : null
  if (!schema) throw new ToolFailure('asks_unshown', unshown)
  return { message, schema }
}

function addressOf(address: unknown, isLocalAllowed: boolean): string {
  const url = typeof address === 'string' && address.length <= maxInputUrlChars ? URL.parse(address) : null
  if (!url || !isPublicAddress(url, isLocalAllowed))
    throw new ToolFailure('asks_address', 'The server asked the user to open an address that is not a public https address.')
  return url.href
}

function schemaOf(schema: unknown): InputSchema | null {
  if (!isRecord(schema) || schema.type !== 'object' || !isRecord(schema.properties)) return null
  const entries = Object.entries(schema.properties)
  // Without fields, the server asks for a yes or no.
  if (entries.length > maxInputFields || !entries.every(([name]) => isName(name))) return null
  const fields = entries.flatMap(([name, field]) => {
    const known = fieldOf(plainField(schema, field))
    return known ? [[name, known] as const] : []
  })
  if (fields.length < entries.length) return null
  const names = entries.map(([name]) => name)
  const required = Array.isArray(schema.required) ? names.filter((name) => (schema.required as unknown[]).includes(name)) : []
  return { type: 'object', properties: Object.fromEntries(fields), required, additionalProperties: false }
}

/** A name with invisible characters could look like another one. */
const isName = (name: string): boolean => name !== '' && name !== '__proto__' && isShort(name) && oneLine(name) === name

const isShort = (text: string): boolean => text.length <= maxInputTextChars

function fieldOf(field: unknown): InputField | null {
  if (!isRecord(field)) return null
  const texts = { ...textIn(field, 'title'), ...textIn(field, 'description') }
  switch (field.type) {
    case 'boolean':
      return { ...texts, type: 'boolean', ...(typeof field.default === 'boolean' && { default: field.default }) }
    case 'number':
    case 'integer': {
      const limits = { ...numberIn(field, 'minimum'), ...numberIn(field, 'maximum'), ...numberIn(field, 'default') }
      return { ...texts, type: field.type, ...limits }
    }
    case 'array': {
      const options = isRecord(field.items) ? optionsOf(field.items, field.items.anyOf) : null
      if (!options) return null
      const given = Array.isArray(field.default)
        ? field.default.filter((value): value is string => typeof value === 'string' && options.enum.includes(value))
        : []
      const limits = { ...numberIn(field, 'minItems'), ...numberIn(field, 'maxItems') }
      return { ...texts, type: 'array', items: { type: 'string', ...options }, ...limits, ...(given.length > 0 && { default: given }) }
    }
    case 'string':
      return textFieldOf(field, texts)
    default:
      return null
  }
}

function textFieldOf(field: Readonly<Record<string, unknown>>, texts: Pick<InputField, 'title' | 'description'>): InputField | null {
  const given = typeof field.default === 'string' ? visibleText(field.default) : null
  if (field.enum !== undefined || field.oneOf !== undefined) {
    const options = optionsOf(field, field.oneOf)
    return options && { ...texts, type: 'string', ...options, ...(given !== null && options.enum.includes(given) && { default: given }) }
  }
  const format = formats.find((known) => known === field.format)
  return {
    ...{ ...texts, type: 'string' },
    ...{ ...(format && { format }), ...numberIn(field, 'minLength'), ...numberIn(field, 'maxLength') },
    ...(given !== null && isShort(given) && { default: given }),
  }
}

const formats = ['email', 'uri', 'date', 'date-time'] as const

type Options = { readonly enum: readonly string[]; readonly enumNames?: readonly string[] }

/** `titled`: options of the form `{ const, title }`. Null if there are none, too many, or two that look the same. */
function optionsOf(field: Readonly<Record<string, unknown>>, titled: unknown): Options | null {
  const options: readonly unknown[] = Array.isArray(titled) ? titled : Array.isArray(field.enum) ? field.enum : []
  if (options.length === 0 || options.length > maxInputOptions) return null
  const names = Array.isArray(field.enumNames) ? field.enumNames : []
  const parsed = options.map((option, index) => (isRecord(option) ? [option.const, option.title] : [option, names[index] ?? option]))
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && isShort(value)
  if (!parsed.every(([value, name]) => isText(value) && isText(name))) return null
  const values = parsed.map(([value]) => String(value))
  const shown = parsed.map(([, name]) => oneLine(String(name)))
  if (new Set(values).size < values.length || new Set(shown).size < shown.length || shown.includes('')) return null
  return { enum: values, ...(shown.some((name, index) => name !== values[index]) && { enumNames: shown }) }
}

function textIn<Name extends string>(field: Readonly<Record<string, unknown>>, name: Name): { readonly [key in Name]?: string } {
  const value = field[name]
  const text = typeof value === 'string' ? cutAt(oneLine(value).toWellFormed(), maxInputTextChars) : ''
  return text === '' ? {} : ({ [name]: text } as { readonly [key in Name]?: string })
}

function numberIn<Name extends string>(field: Readonly<Record<string, unknown>>, name: Name): { readonly [key in Name]?: number } {
  const value = field[name]
  return typeof value === 'number' && Number.isFinite(value) ? ({ [name]: value } as { readonly [key in Name]?: number }) : {}
}
