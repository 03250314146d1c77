/**
 * Mends what servers send in a wrong form before the SDK reads it. The SDK refuses a whole list or result for one item that does not fit the
 * protocol. A list would lose its sound tools, and a call that was carried out would look as if it had failed. An item that cannot be mended is
 * replaced by one that is counted or reported as left out.
 */
import { specTypeSchemas, type Transport } from '@modelcontextprotocol/client'
import { isDeeperThan, isRecord } from '../../../contract/is-record.ts'
import { maxJsonLevels } from '../../../contract/limits.ts'
import { ownIds } from './request-ids.ts'

/** The same transport. `isModern`: the connection uses the protocol of 2026. */
export function forgiving<T extends Transport>(transport: T, isModern: () => boolean): T {
  let receive: Transport['onmessage']
  const ids = ownIds()
  const send: Transport['send'] = transport.send.bind(transport)
  transport.send = (message, options) => send(ids.sent(message), options)
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => receive,
    set: (handle: Transport['onmessage']) => {
      receive =
        handle &&
        ((received, extra) => {
          const message = ids.received(received)
          handle('result' in message ? { ...message, result: mended(message.result, isModern()) } : message, extra)
        })
    },
  })
  return transport
}

type Fields = { readonly [field: string]: unknown }

/** Only the results of `initialize`, of lists, of `tools/call`, `prompts/get` and `resources/read` have these fields. */
function mended<Result extends Fields>(result: Result, isModern: boolean): Result {
  const changes = isRecord(result.capabilities)
    ? mendedStart(result)
    : 'content' in result || 'structuredContent' in result
      ? mendedResult(result, isModern)
      : mendedLists(result, isModern)
  // The protocol of 2026 wants a result without a type to count as complete. The SDK refuses it.
  return { ...(isModern && { resultType: 'complete' }), ...result, ...changes }
}

function mendedStart({ capabilities, serverInfo, instructions }: Fields): Fields {
  const known = isRecord(capabilities) ? Object.entries(capabilities).filter(([, value]) => isRecord(value) || value === true) : []
  const { name, version } = isRecord(serverInfo) ? serverInfo : {}
  return {
    capabilities: Object.fromEntries(known.map(([key, value]) => [key, isRecord(value) ? value : {}])),
    serverInfo: { ...(isRecord(serverInfo) && serverInfo), name: textOr(name, ''), version: textOr(version, '') },
    instructions: textOr(instructions, undefined),
  }
}

const textOr = <T>(value: unknown, other: T): string | T => (typeof value === 'string' ? value : other)

function mendedLists(result: Fields, isModern: boolean): Fields {
  const mend: { readonly [field: string]: (item: unknown) => unknown } = {
    tools: (tool) => mendedTool(tool, isModern),
    resources: (item) => mendedItem('Resource', item, ['name', 'uri']),
    resourceTemplates: (item) => mendedItem('ResourceTemplate', item, ['name', 'uriTemplate']),
    prompts: (item) => mendedItem('Prompt', item, ['name']),
    messages: (message) => ({ role: 'user', content: mendedBlock(isRecord(message) ? message.content : message) }),
    contents: mendedContents,
  }
  const lists = Object.entries(mend).flatMap(([field, mendItem]) => {
    const list = result[field]
    // Servers in Go send an empty list as null.
    return list === null ? [[field, []]] : Array.isArray(list) ? [[field, list.map(mendItem)]] : []
  })
  return { ...Object.fromEntries(lists), ...('nextCursor' in result && { nextCursor: textOr(result.nextCursor, '') || undefined }) }
}

/** Without the fields that do not fit. An item without what it needs has empty texts, so it counts as unusable. */
function mendedItem(type: SpecType, item: unknown, needed: readonly string[]): unknown {
  const unusable = Object.fromEntries(needed.map((field) => [field, '']))
  if (!isRecord(item) || isDeep(item)) return unusable
  const least = Object.fromEntries(needed.map((field) => [field, item[field]]))
  if (!fits(type, least)) return { ...unusable, name: textOr(item.name, '') }
  return withSoundFields(type, item, least)
}

/** `least`: what an item of the type needs. */
const withSoundFields = (type: SpecType, item: Fields, least: Fields): Fields => ({
  ...Object.fromEntries(Object.entries(item).filter(([field, value]) => fits(type, { ...least, [field]: value }))),
  ...least,
})

/** Contents without text and data are left out and counted. */
function mendedContents(contents: unknown): unknown {
  const plain = isRecord(contents) && !isDeep(contents) ? withPlainData(contents) : {}
  const { uri, mimeType, text, blob } = plain
  const least = { uri: textOr(uri, ''), ...(typeof mimeType === 'string' && { mimeType }) }
  if (typeof text === 'string') return { ...least, text }
  return fits('BlobResourceContents', { ...least, blob }) ? { ...least, blob } : { ...least, blob: '' }
}

/** No tool has an empty name, so it counts as unusable. */
const unusableTool = { name: '', inputSchema: { type: 'object' } }

function mendedTool(tool: unknown, isModern: boolean): unknown {
  if (!isRecord(tool) || isDeep(tool)) return unusableTool
  const { name, inputSchema, outputSchema } = tool
  // Until 2026, structured content is an object.
  const isSound = isModern || outputSchema === undefined || (isRecord(outputSchema) && outputSchema.type === 'object')
  if (isSound && fits('Tool', tool)) return tool
  const needed = { name, inputSchema: { ...(isRecord(inputSchema) && inputSchema), type: 'object' } }
  if ((inputSchema != null && !isRecord(inputSchema)) || !fits('Tool', needed)) return unusableTool
  // Without its annotations, a tool counts as one that changes something.
  const { outputSchema: _, ...others } = tool
  return withSoundFields('Tool', isSound ? tool : others, needed)
}

function mendedResult({ content, structuredContent, isError }: Fields, isModern: boolean): Fields {
  const blocks = content == null ? [] : Array.isArray(content) ? content : [typeof content === 'string' ? textBlock(content) : content]
  const isTooDeep = isDeep(structuredContent)
  const isStructured = !isTooDeep && (structuredContent === undefined || isRecord(structuredContent) || isModern)
  const asText = isStructured || structuredContent === null ? [] : [isTooDeep ? unknownBlock : textBlock(JSON.stringify(structuredContent))]
  return {
    content: [...blocks.map(mendedBlock), ...asText],
    structuredContent: isStructured ? structuredContent : undefined,
    isError: typeof isError === 'string' ? isError === 'true' : Boolean(isError),
  }
}

const textBlock = (text: string) => ({ type: 'text', text })

/** Reported as left out, as every sound is. */
const unknownBlock = { type: 'audio', data: '', mimeType: 'audio/unknown' }

function mendedBlock(block: unknown): unknown {
  if (!isRecord(block) || isDeep(block)) return unknownBlock
  const { resource } = block
  const plain = withPlainData({ ...block, ...(isRecord(resource) && { resource: withPlainData(resource) }) })
  if (fits('ContentBlock', plain)) return plain
  const { annotations: _, _meta, icons: _icons, ...needed } = plain
  if (fits('ContentBlock', needed)) return needed
  // Some servers report an error as a block of an unknown type.
  return typeof block.text === 'string' ? textBlock(block.text) : unknownBlock
}

/** Base64 without the beginning of a data URL, and without line ends. */
const withPlainData = (block: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(block).map(([field, value]) => [
      field,
      (field === 'data' || field === 'blob') && typeof value === 'string' ? value.replace(/^data:[^,]*,/, '').replace(/\s+/g, '') : value,
    ]),
  )

const isDeep = (value: unknown): boolean => isDeeperThan(maxJsonLevels, value)

type SpecType = 'Tool' | 'ContentBlock' | 'Resource' | 'ResourceTemplate' | 'Prompt' | 'BlobResourceContents'

function fits(type: SpecType, value: unknown): boolean {
  const checked = specTypeSchemas[type]['~standard'].validate(value)
  return !(checked instanceof Promise) && checked.issues === undefined
}
