/**
 * The values that the user enters into a form, of a server or of the arguments of a call, and the answer that they become, which the server of Parley checks
 * again. Pure.
 */
import type { InputAnswer, InputAsk, InputField, InputSchema } from '../../../../worker/contract/tools/server-input.ts'
import { formatLocale, formatNumber } from '../../../lib/i18n/intl-format.ts'
import { t } from './texts/en.ts'

export type InputValue = string | boolean | readonly string[]
export type InputValues = { readonly [name: string]: InputValue }

/** Problems by the names of their fields. */
export type Problems = { readonly [name: string]: string }

type Read = { readonly ok: true; readonly answer: InputAnswer } | { readonly ok: false; readonly problems: Problems }

/** `answer`: what a crash lost, or the arguments of the call. A switch that the call leaves out stays out of it until the user moves the switch. */
export const valuesOf = (schema: InputSchema, answer: InputAnswer | undefined): InputValues =>
  mapValues(schema, (field, name) =>
    answer && !Object.hasOwn(answer, name) ? emptyValue(field) : enteredValue(field, answer ? answer[name] : field.default),
  )

const emptyValue = (field: InputField): InputValue => (field.type === 'array' ? [] : '')

function enteredValue(field: InputField, given: InputAnswer[string] | undefined): InputValue {
  if (field.type === 'boolean') return given === true
  if (field.type === 'array') return Array.isArray(given) ? (given as readonly string[]) : []
  if (given === undefined) return ''
  if (typeof given === 'number') return numberText(given)
  return field.type === 'string' && field.format === 'date-time' ? localTime(String(given)) : String(given)
}

const mapValues = <T>({ properties }: InputSchema, map: (field: InputField, name: string) => T): { readonly [name: string]: T } =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, map(field, name)]))

/** As a browser's field for date and time has it. */
function localTime(text: string): string {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 'YYYY-MM-DDTHH:mm'.length)
}

/** An empty field that is optional is left out. `mayBeEmpty`: a required text may have no characters, if the schema allows that. */
export function answerOf({ properties, required }: InputSchema, values: InputValues, { mayBeEmpty = false } = {}): Read {
  const answer: Record<string, InputAnswer[string]> = {}
  const problems: Record<string, string> = {}
  for (const [name, field] of Object.entries(properties)) {
    const value = values[name] ?? ''
    const isEmpty = value === '' || (Array.isArray(value) && value.length === 0)
    if (isEmpty && !required.includes(name)) continue
    if (field.type === 'boolean') {
      answer[name] = isOn(field, value)
      continue
    }
    const problem = isEmpty && !(mayBeEmpty && isText(field)) ? t('required') : problemOf(field, value)
    if (problem) problems[name] = problem
    else answer[name] = sentValue(field, value)
  }
  return Object.keys(problems).length > 0 ? { ok: false, problems } : { ok: true, answer }
}

export const isOn = (field: InputField, value: InputValue): boolean => (value === '' ? field.default : value) === true

const isText = (field: InputField): boolean => field.type === 'string' && !field.enum

/** German writes decimals with a comma. No groups of digits: they could be read as decimals. */
const numberText = (value: number): string => String(value).replace('.', formatNumber(1.5).charAt(1))

const numberOf = (value: InputValue): number => Number(String(value).trim().replace(',', '.'))

function sentValue(field: InputField, value: InputValue): InputAnswer[string] {
  if (field.type === 'number' || field.type === 'integer') return numberOf(value)
  if (field.type === 'string' && field.format === 'date-time') return new Date(String(value)).toISOString()
  return value
}

function problemOf(field: InputField, value: InputValue): string | null {
  switch (field.type) {
    case 'boolean':
      return null
    case 'array': {
      const { minItems: min = 0, maxItems: max = Number.POSITIVE_INFINITY } = field
      const count = Array.isArray(value) ? value.length : 0
      if (count < min) return t('chooseAtLeast', { count: min })
      return count > max ? t('chooseAtMost', { count: max }) : null
    }
    case 'number':
    case 'integer': {
      const number = numberOf(value)
      const { minimum: min = Number.NEGATIVE_INFINITY, maximum: max = Number.POSITIVE_INFINITY } = field
      if (!Number.isFinite(number)) return t('notANumber')
      if (field.type === 'integer' && !Number.isInteger(number)) return t('notWhole')
      if (number < min) return t('atLeast', { min })
      return number > max ? t('atMost', { max }) : null
    }
    case 'string':
      return field.enum ? null : textProblem(field, String(value))
  }
}

function textProblem(field: Extract<InputField, { type: 'string' }>, text: string): string | null {
  const { format, minLength: min = 0, maxLength: max = Number.POSITIVE_INFINITY } = field
  if (text.length < min) return t('tooShort', { count: min })
  if (text.length > max) return t('tooLong', { count: max })
  if (format === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return t('notMail')
  if (format === 'uri' && !URL.canParse(text)) return t('notAddress')
  return (format === 'date' || format === 'date-time') && Number.isNaN(Date.parse(text)) ? t('notDate') : null
}

/** The title of a field, with its name if another field has the same title. */
export function labelOf({ properties }: InputSchema, name: string): string {
  const titleOf = (field: InputField | undefined, ofName: string) => field?.title ?? ofName
  const title = titleOf(properties[name], name)
  const isShared = Object.entries(properties).some(([other, field]) => other !== name && titleOf(field, other) === title)
  return isShared && title !== name ? `${title} (${name})` : title
}

/** The answer of the user as text: values of options by their names. */
export const shownAnswer = (ask: InputAsk, answer: InputAnswer): readonly (readonly [label: string, text: string])[] =>
  'url' in ask
    ? []
    : Object.entries(answer).map(([name, value]) => {
        const field = ask.schema.properties[name]
        return [labelOf(ask.schema, name), (Array.isArray(value) ? value : [value]).map((one) => shownOne(field, one)).join(', ')]
      })

function shownOne(field: InputField | undefined, value: unknown): string {
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
  if (typeof value === 'number') return numberText(value)
  if (field?.type === 'string' && (field.format === 'date' || field.format === 'date-time')) return dateText(field.format, String(value))
  const options = field?.type === 'array' ? field.items : field?.type === 'string' ? field : undefined
  return optionsIn(options).find(([one]) => one === value)?.[1] ?? String(value)
}

function dateText(format: 'date' | 'date-time', text: string): string {
  const at = Date.parse(text)
  if (Number.isNaN(at)) return text
  // A date alone is read as UTC.
  const options =
    format === 'date' ? ({ dateStyle: 'medium', timeZone: 'UTC' } as const) : ({ dateStyle: 'medium', timeStyle: 'short' } as const)
  return new Intl.DateTimeFormat(formatLocale(), options).format(at)
}

/** The values that differ from those before, a line for each. */
export const typedText = (schema: InputSchema, values: InputValues, before: InputValues): string =>
  shownAnswer(
    { message: '', schema },
    Object.fromEntries(Object.entries(values).filter(([name, value]) => String(value) !== String(before[name] ?? ''))),
  )
    .map(([label, text]) => `${label}: ${text}`)
    .join('\n')

type Options = { readonly enum?: readonly string[]; readonly enumNames?: readonly string[] }

export const optionsIn = (options: Options | undefined): readonly (readonly [value: string, name: string])[] =>
  options?.enum?.map((value, index) => [value, options.enumNames?.[index] ?? value] as const) ?? []
