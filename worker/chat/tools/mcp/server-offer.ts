/** Turns the lists of a server into what Parley stores and shows: tools, resources and prompts. Everything is parsed; nothing is trusted. */
import { type Prompt, type Resource, type ResourceTemplateType, type Tool, UriTemplate } from '@modelcontextprotocol/client'
import {
  maxNamedLeftOut,
  maxPromptsPerServer,
  maxResourcesPerServer,
  maxResourceUriChars,
  maxServerArgumentChars,
  maxServerArgumentNameChars,
  maxServerArguments,
  maxServerPromptNameChars,
  maxServerPromptsChars,
  maxServerResourcesChars,
  maxServerToolNameChars,
  maxServerToolsChars,
  maxSuggestions,
  maxToolDescriptionChars,
  maxToolSchemaChars,
  maxToolsPerServer,
  maxToolTitleChars,
} from '../../../contract/limits.ts'
import { cutAt } from '../../../contract/text.ts'
import type { LeftOut, ServerArgument, ServerPrompt, ServerResource, ServerTool } from '../../../contract/tools/tool-servers.ts'
import { oneLine, visibleText } from '../../../contract/visible-text.ts'
import { sha256Hex } from '../../../lib/digests.ts'

/** `leftOut` is null if everything can be used. */
type Usable<T> = { readonly usable: readonly T[]; readonly leftOut: LeftOut | null }

type Bounds = { readonly kind: LeftOut['kind']; readonly most: number; readonly chars: number }

/** The usable entries in their order, within the bounds. The first of two entries with one key counts: a request names only the key. */
function within<T>(
  parsed: readonly { readonly name: string; readonly entry: T | null }[],
  keyOf: (entry: T) => string,
  bounds: Bounds,
): Usable<T> {
  const usable = new Map<string, T>()
  const names: string[] = []
  let { chars } = bounds
  for (const { name, entry } of parsed) {
    const size = entry === null ? 0 : JSON.stringify(entry).length
    if (entry !== null && usable.size < bounds.most && !usable.has(keyOf(entry)) && size <= chars) {
      usable.set(keyOf(entry), entry)
      chars -= size
    } else if (titleOf(name) !== '' && names.length < maxNamedLeftOut) names.push(titleOf(name))
  }
  const count = parsed.length - usable.size
  return { usable: [...usable.values()], leftOut: count === 0 ? null : { kind: bounds.kind, count, names } }
}

export async function usableTools(definitions: readonly Tool[]): Promise<Usable<ServerTool>> {
  const parsed: { name: string; entry: ServerTool | null }[] = []
  let count = 0
  for (const definition of definitions) {
    // A digest for each of many thousands would take long.
    const entry = count < maxToolsPerServer ? await toolOf(definition) : null
    if (entry) count += 1
    parsed.push({ name: definition.name, entry })
  }
  return within(parsed, ({ name }) => name, { kind: 'tool', most: maxToolsPerServer, chars: maxServerToolsChars })
}

/** Null for a definition that no model could use. */
export async function toolOf(definition: Tool): Promise<ServerTool | null> {
  const { name, title, description, inputSchema, annotations } = definition
  const schema = JSON.stringify(inputSchema)
  const isNamed = isUsableName(maxServerToolNameChars)(name)
  if (!isNamed || schema.length > maxToolSchemaChars || refersOutside(schema)) return null
  return {
    name,
    title: titleOf(title ?? annotations?.title ?? '') || name,
    description: descriptionOf(description),
    inputSchema: inputSchema as ServerTool['inputSchema'],
    isReadOnly: annotations?.readOnlyHint === true,
    digest: await sha256Hex(sortedJson(definition)),
  }
}

/** True if a schema refers to another document, which a reader of the schema would load. */
const refersOutside = (schema: string): boolean => /"\$(?:ref|dynamicRef)":"(?!#)/.test(schema)

/** JSON with sorted keys: the same definition has the same digest, however the server orders it. */
export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

export function usableResources(resources: readonly Resource[], templates: readonly ResourceTemplateType[]): Usable<ServerResource> {
  const parsed = [
    ...resources.map((resource) => ({ name: resource.title ?? resource.name, entry: resourceOf(resource, resource.uri) })),
    ...templates.map((template) => ({ name: template.title ?? template.name, entry: templateOf(template) })),
  ]
  return within(parsed, ({ uri }) => uri, { kind: 'resource', most: maxResourcesPerServer, chars: maxServerResourcesChars })
}

type Described = { readonly name: string; readonly title?: string | undefined; readonly description?: string | undefined }

function resourceOf({ name, title, description }: Described, uri: string): ServerResource | null {
  if (!isUsableAddress(uri)) return null
  const shown = titleOf(name) || uri
  return { uri, name: shown, title: titleOf(title ?? '') || shown, description: descriptionOf(description) }
}

function templateOf(template: ResourceTemplateType): ServerResource | null {
  const resource = resourceOf(template, template.uriTemplate)
  const args = resource && variablesOf(resource.uri)
  return resource && args ? { ...resource, args } : null
}

/** Null for a template that cannot be filled in. */
function variablesOf(template: string): readonly ServerArgument[] | null {
  try {
    const { variableNames } = new UriTemplate(template)
    const names = [...new Set(variableNames)]
    if (names.length === 0 || names.length > maxServerArguments || !names.every(isUsableName(maxServerArgumentNameChars))) return null
    // A query may leave variables out.
    const optional = [...template.matchAll(/\{[?&]([^}]*)\}/g)]
      .flatMap((match) => match[1]?.split(',') ?? [])
      .map((name) => name.replace(/\*$/, ''))
    return names.map((name) => ({ name, title: name, description: '', isRequired: !optional.includes(name) }))
  } catch {
    return null
  }
}

/** The address of a resource. Null if the values make no address that Parley sends. */
export function filledIn({ uri, args }: ServerResource, values: { readonly [name: string]: string }): string | null {
  if (!args) return uri
  const address = new UriTemplate(uri).expand(values)
  return isUsableAddress(address) ? address : null
}

/** Schemes of addresses that are programs or contain their content. */
const unusableSchemes = /^(?:javascript|vbscript|data|blob|about):/i

/** An address, or a template of addresses with a scheme, that looks as it is. */
export const isUsableAddress = (uri: string): boolean =>
  uri.length <= maxResourceUriChars && /^[a-z][a-z0-9+.-]*:./i.test(uri) && !unusableSchemes.test(uri) && !/\s/.test(uri) && isVisible(uri)

export function usablePrompts(prompts: readonly Prompt[]): Usable<ServerPrompt> {
  const parsed = prompts.map((prompt) => ({ name: prompt.title ?? prompt.name, entry: promptOf(prompt) }))
  return within(parsed, ({ name }) => name, { kind: 'prompt', most: maxPromptsPerServer, chars: maxServerPromptsChars })
}

function promptOf({ name, title, description, arguments: args = [] }: Prompt): ServerPrompt | null {
  const isUsable = isUsableName(maxServerPromptNameChars)(name) && args.length <= maxServerArguments
  if (!isUsable || !args.every((arg) => isUsableName(maxServerArgumentNameChars)(arg.name))) return null
  return {
    name,
    title: titleOf(title ?? '') || titleOf(name),
    description: descriptionOf(description),
    args: args.map((arg) => ({
      name: arg.name,
      title: titleOf(arg.name),
      description: descriptionOf(arg.description),
      isRequired: arg.required === true,
    })),
  }
}

/** Different values that look as they are. Others could send what the user does not see. */
export const usableSuggestions = (values: readonly string[]): readonly string[] =>
  [...new Set(values)]
    .filter((value) => value.trim() !== '' && value.length <= maxServerArgumentChars && isVisible(value))
    .slice(0, maxSuggestions)

/** A name that is sent back to the server as it is, so it must look as it is. */
const isUsableName =
  (maxChars: number) =>
  (name: string): boolean =>
    name.trim() !== '' && name.length <= maxChars && isVisible(name)

const isVisible = (text: string): boolean => visibleText(text) === text && !/[\n\t]/.test(text)

export const titleOf = (text: string): string => cutAt(oneLine(text), maxToolTitleChars)

const descriptionOf = (text = ''): string => cutAt(visibleText(text).trim(), maxToolDescriptionChars)
