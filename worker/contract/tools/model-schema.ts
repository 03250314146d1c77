/**
 * The schema of a tool's arguments in the form that every provider accepts. Each refuses other words of JSON Schema, and one refused definition
 * fails every request of the thread: OpenAI wants the properties of an object and the items of a list, Anthropic refuses `anyOf` and its like at the
 * top level and names with other characters, and Google refuses references, `oneOf`, `allOf`, most formats and enums of numbers. What is left out
 * here is checked by the server. Input is not checked by the schema of a server here: its patterns and references could take for ever.
 */
import { isRecord } from '../is-record.ts'
import { maxToolSchemaChars } from '../limits.ts'
import { visibleText } from '../visible-text.ts'

type Schema = Readonly<Record<string, unknown>>
type ObjectSchema = Schema & { readonly type: 'object'; readonly properties: Readonly<Record<string, Schema>> }

/** Chosen: a reference can repeat a schema, and that one can have references. The schemas beyond accept anything. */
const maxSchemas = 500
const maxReferences = 8

/** `isLoose`: for a check, so whatever the schema accepts must be accepted. */
type Reading = { readonly root: Schema; readonly maxReferences: number; readonly isLoose: boolean; left: number }

/** The names of the arguments that the model uses, by their names at the server, if they differ. */
export type ArgumentNames = ReadonlyMap<string, string>

export function modelSchema(root: Schema): { readonly schema: ObjectSchema; readonly names: ArgumentNames } {
  const whole = topLevel(root, maxReferences)
  // Without its references, a schema is no longer than the server sent it.
  const read = JSON.stringify(whole).length > maxToolSchemaChars ? topLevel(root, 0) : whole
  const properties = isRecord(read.properties) ? (read.properties as Readonly<Record<string, Schema>>) : {}
  const names = new Map<string, string>()
  const taken = new Set(Object.keys(properties).filter((name) => accepted.test(name)))
  for (const name of Object.keys(properties)) {
    if (accepted.test(name)) continue
    const plain = name.replace(/[^\w.-]/g, '_').slice(0, 60) || '_'
    let other = plain
    for (let count = 2; taken.has(other); count++) other = `${plain}_${count}`
    taken.add(other)
    names.set(name, other)
  }
  const nameOf = (name: string) => names.get(name) ?? name
  const required = Array.isArray(read.required) ? { required: read.required.map(nameOf) } : {}
  const ofModel = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [nameOf(name), schema]))
  return { schema: { ...read, type: 'object', properties: ofModel, ...required }, names }
}

function topLevel(root: Schema, references: number): Schema {
  const {
    type: _,
    anyOf: _anyOf,
    enum: _enum,
    items: _items,
    ...read
  } = merged(root, { root, maxReferences: references, isLoose: false, left: maxSchemas }, 0, true)
  return read
}

/** Anthropic's rule for the names of arguments. */
const accepted = /^[\w.-]{1,64}$/

/** The arguments with their names at the server. */
export function withServerNames(input: unknown, names: ArgumentNames): unknown {
  if (names.size === 0 || !isRecord(input)) return input
  const ofServer = new Map([...names].map(([name, other]) => [other, name]))
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [ofServer.get(name) ?? name, value]))
}

/** A schema without what could take for ever. It accepts whatever the server's own schema accepts. */
export const looseSchema = (root: Schema): Schema => merged(root, { root, maxReferences, isLoose: true, left: maxSchemas }, 0, false)

function read(value: unknown, reading: Reading, references: number): Schema {
  if (!isRecord(value) || reading.left === 0) return {}
  reading.left -= 1
  return merged(value, reading, references, false)
}

/** A schema with what it refers to and what it combines. `isFlat`: also of its alternatives, whose arguments become optional. */
function merged(value: Schema, reading: Reading, references: number, isFlat: boolean): Schema {
  if (typeof value.$ref === 'string') {
    const { $ref, ...others } = value
    const target = references < reading.maxReferences ? referred(reading.root, $ref) : null
    return target ? merged({ ...target, ...others }, reading, references + 1, isFlat) : plain(others, reading, references)
  }
  const listOf = (word: string): readonly Schema[] => (Array.isArray(value[word]) ? value[word].filter(isRecord) : [])
  const alternatives = [...listOf('anyOf'), ...listOf('oneOf')]
  const all = listOf('allOf')
  const within = (schema: Schema): Schema => {
    if (reading.left === 0) return {}
    reading.left -= 1
    return merged(schema, reading, references, isFlat)
  }
  const own = plain(value, reading, references)
  const every = all.map(within)
  const some = isFlat ? alternatives.map(within) : []
  const properties = Object.assign(ofEach(some), ...[...every, own].map((schema) => schema.properties ?? {})) as Record<string, unknown>
  const required = [...every, own].flatMap((schema) => (Array.isArray(schema.required) ? (schema.required as string[]) : []))
  return {
    ...Object.assign({}, ...every),
    ...own,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)].filter((name) => Object.hasOwn(properties, name)) }),
    ...(alternatives.length > 0 && !isFlat && { anyOf: alternatives.map((schema) => read(schema, reading, references)) }),
  }
}

/** The arguments of alternatives. One with several schemas accepts what any of them accepts. */
function ofEach(alternatives: readonly Schema[]): Record<string, unknown> {
  const found = new Map<string, Map<string, unknown>>()
  for (const { properties } of alternatives)
    for (const [name, schema] of Object.entries(isRecord(properties) ? properties : {})) {
      const schemas = found.get(name) ?? new Map<string, unknown>()
      found.set(name, schemas.set(JSON.stringify(schema), schema))
    }
  return Object.fromEntries(
    [...found].map(([name, schemas]) => [name, schemas.size === 1 ? [...schemas.values()][0] : { anyOf: [...schemas.values()] }]),
  )
}

/** The words that every provider knows. Others become a part of the description, if they help the model. */
function plain(value: Schema, reading: Reading, references: number): Schema {
  const { type, properties, required, items, prefixItems, additionalProperties, enum: values, const: only, format, pattern } = value
  const { isLoose } = reading
  const types = (Array.isArray(type) ? type : [type]).filter((each) => knownTypes.has(each))
  const choices = only === undefined ? (Array.isArray(values) ? values : []) : [only]
  const hasTextChoices = choices.length > 0 && choices.every((choice) => typeof choice === 'string' && choice !== '')
  const isDate = format === 'date-time'
  const description = [
    typeof value.description === 'string' ? visibleText(value.description) : '',
    choices.length > 0 && !hasTextChoices ? `One of: ${JSON.stringify(choices)}.` : '',
    typeof format === 'string' && !isDate ? `Format: ${visibleText(format)}.` : '',
    typeof pattern === 'string' ? `Pattern: ${visibleText(pattern)}` : '',
  ]
  const given = description.filter((text) => text !== '').join(' ')
  const isObject = types.includes('object') || isRecord(properties)
  const isList = types.includes('array') || items !== undefined || prefixItems !== undefined
  const own = isRecord(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, read(schema, reading, references)]))
    : {}
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string' && Object.hasOwn(own, name)) : []
  const places = [items, prefixItems].flatMap((each) => (Array.isArray(each) ? each : []))
  return {
    ...(types.length === 1 ? { type: types[0] } : types.length > 1 ? { type: types } : isObject && !isLoose ? { type: 'object' } : {}),
    ...(given !== '' && { description: given }),
    ...(hasTextChoices && { enum: [...new Set(choices)] }),
    ...(isDate && { format }),
    ...Object.fromEntries(limits.flatMap((word) => (typeof value[word] === 'number' ? [[word, value[word]]] : []))),
    ...(isScalar(value.default) && { default: value.default }),
    ...(isObject && { properties: own }),
    ...(names.length > 0 && { required: [...new Set(names)] }),
    ...(isRecord(additionalProperties) &&
      !(isLoose && value.patternProperties !== undefined) && { additionalProperties: read(additionalProperties, reading, references) }),
    ...(isList &&
      !(isLoose && places.length > 0) && {
        items:
          places.length > 0 ? { anyOf: places.map((place) => read(place, reading, references)) } : read(items ?? {}, reading, references),
      }),
  }
}

/**
 * The schema of one value without references and without null, which servers add to what may be left out: `anyOf` with null (Pydantic), or null among
 * the types and choices (.NET, Kotlin). A value of several other types stays as it is.
 */
export function plainField(root: Schema, property: unknown, levels = maxReferences): Schema | null {
  const field = withoutReference(root, property)
  if (!field || levels === 0) return null
  for (const word of ['anyOf', 'oneOf'] as const) {
    const { [word]: alternatives, ...own } = field
    if (!Array.isArray(alternatives)) continue
    const others = alternatives.map((each) => withoutReference(root, each)).filter((each) => each?.type !== 'null')
    const [only] = others
    if (others.length === 1 && only && alternatives.length === 2) return plainField(root, { ...only, ...own }, levels - 1)
  }
  const types = Array.isArray(field.type) ? field.type.filter((type) => type !== 'null') : []
  if (types.length !== 1) return field
  return { ...field, type: types[0], ...(Array.isArray(field.enum) && { enum: field.enum.filter((choice) => choice !== null) }) }
}

function withoutReference(root: Schema, value: unknown): Schema | null {
  let read = isRecord(value) ? value : null
  for (let count = 0; typeof read?.$ref === 'string'; count++) {
    const { $ref, ...others } = read
    const target = count < maxReferences ? referred(root, $ref) : null
    read = target && { ...target, ...others }
  }
  return read
}

const knownTypes: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
const limits = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const
const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** The schema that a JSON pointer names in the same document. */
function referred(root: Schema, reference: string): Schema | null {
  if (!reference.startsWith('#')) return null
  const path = reference.slice(1).split('/').slice(1).map(pointerName)
  const target = path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    root,
  )
  return isRecord(target) ? target : null
}

function pointerName(name: string): string {
  const plainName = name.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plainName)
  } catch {
    return plainName
  }
}
