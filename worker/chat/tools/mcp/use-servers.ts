/** Reads a resource or a prompt that the user has chosen in the composer, and suggestions for its arguments. */
import type { ToolServerBody } from '../../../contract/http.ts'
import { maxResourceResponseBytes } from '../../../contract/limits.ts'
import { type ToolServerRow, updateToolServer, withoutUser } from '../../../db/tool-servers.ts'
import type { ServerConnection, SuggestedArgument } from './connection.ts'
import { checkMs, type Manager, readServer, refOf, stateAfter } from './manage-servers.ts'
import { type StoredServer, withStoredServer } from './server-login.ts'
import { filledIn } from './server-offer.ts'

type Values = { readonly [name: string]: string }

/** `uri`: as the server listed it, also of a template. Null if the user has no such server, or the server no such resource. */
export async function readResource(manager: Manager, id: string, uri: string, args: Values): Promise<ToolServerBody | null> {
  const server = await readServer(manager, id)
  const resource = server?.resources?.find((one) => one.uri === uri)
  if (!server || !resource) return null
  const address = filledIn(resource, valuesFor(resource.args ?? [], args))
  return address === null ? null : using(manager, server, async (connection) => ({ parts: await connection.read(address, resource.title) }))
}

/** Null if the user has no such server, or the server no such prompt. */
export async function readPrompt(manager: Manager, id: string, name: string, args: Values): Promise<ToolServerBody | null> {
  const server = await readServer(manager, id)
  const prompt = server?.prompts?.find((one) => one.name === name)
  if (!server || !prompt) return null
  const values = valuesFor(prompt.args, args)
  return using(manager, server, async (connection) => ({ parts: await connection.prompt(name, values, prompt.title) }))
}

/** Null if the user has no such server, or the server no such argument. */
export async function suggestValues(manager: Manager, id: string, of: SuggestedArgument): Promise<ToolServerBody | null> {
  const server = await readServer(manager, id)
  const { kind, key, argument } = of
  const prompt = kind === 'prompt' ? server?.prompts?.find(({ name }) => name === key) : undefined
  const resource = kind === 'resource' ? server?.resources?.find(({ uri }) => uri === key) : undefined
  const args = (prompt ?? resource)?.args ?? []
  if (!server || !args.some(({ name }) => name === argument.name)) return null
  const others = args.filter(({ name }) => name !== argument.name)
  return using(manager, server, async (connection) => ({
    suggestions: await connection.suggest({ ...of, args: valuesFor(others, of.args) }),
  }))
}

/** Only arguments that the server asks for. An empty one is absent. */
const valuesFor = (args: readonly { readonly name: string }[], given: Values): Record<string, string> =>
  Object.fromEntries(args.flatMap(({ name }) => (given[name] ? [[name, given[name]]] : [])))

async function using(
  manager: Manager,
  server: ToolServerRow & StoredServer,
  use: (connection: ServerConnection) => Promise<Pick<ToolServerBody, 'parts' | 'suggestions'>>,
): Promise<ToolServerBody> {
  const { id } = server
  const signal = AbortSignal.timeout(checkMs)
  try {
    return await withStoredServer(refOf(manager, id), server, manager.egress, signal, use, maxResourceResponseBytes)
  } catch (error) {
    const { state, failure } = await stateAfter(error, manager, id, signal)
    if (state === 'login') await updateToolServer(manager.env, withoutUser(manager.owner), id, { state, failure })
    return { failure }
  }
}
