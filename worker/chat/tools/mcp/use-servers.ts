/** Reads a resource or a prompt that the user has chosen in the composer, and suggestions for its arguments. */
import type { ToolServerBody } from '../../../contract/http.ts'
import { maxResourceResponseBytes } from '../../../contract/limits.ts'
import { readToolServer, type ToolServerRow, updateToolServer, withoutUser } from '../../../db/tool-servers.ts'
import { type ServerConnection, type SuggestedArgument, withServer } from './connection.ts'
import { checkMs, egressOf, type Manager, refOf, stateAfter } from './manage-servers.ts'
import { credentialsOf } from './server-login.ts'
import { filledIn } from './server-offer.ts'
import { type ReadSecret, readSecret } from './server-secrets.ts'

type Values = { readonly [name: string]: string }

type Chosen = { readonly server: ToolServerRow; readonly secret: ReadSecret }

/** The only function that decides which servers a user may use. Null for every other id. */
async function findUsable(manager: Manager, id: string): Promise<Chosen | null> {
  const [server, secret] = [await readToolServer(manager.env, manager.owner, id), await readSecret(refOf(manager, id))]
  return server && secret && { server, secret }
}

/** `uri`: as the server listed it, also of a template. Null if the user has no such server, or the server no such resource. */
export async function readResource(manager: Manager, id: string, uri: string, args: Values): Promise<ToolServerBody | null> {
  const chosen = await findUsable(manager, id)
  const resource = chosen?.server.resources?.find((one) => one.uri === uri)
  if (!chosen || !resource) return null
  const address = filledIn(resource, valuesFor(resource.args ?? [], args))
  return address === null ? null : using(manager, chosen, async (connection) => ({ parts: await connection.read(address, resource.title) }))
}

/** Null if the user has no such server, or the server no such prompt. */
export async function readPrompt(manager: Manager, id: string, name: string, args: Values): Promise<ToolServerBody | null> {
  const chosen = await findUsable(manager, id)
  const prompt = chosen?.server.prompts?.find((one) => one.name === name)
  if (!chosen || !prompt) return null
  const values = valuesFor(prompt.args, args)
  return using(manager, chosen, async (connection) => ({ parts: await connection.prompt(name, values, prompt.title) }))
}

/** Null if the user has no such server, or the server no such argument. */
export async function suggestValues(manager: Manager, id: string, of: SuggestedArgument): Promise<ToolServerBody | null> {
  const chosen = await findUsable(manager, id)
  const { kind, key, argument } = of
  const prompt = kind === 'prompt' ? chosen?.server.prompts?.find(({ name }) => name === key) : undefined
  const resource = kind === 'resource' ? chosen?.server.resources?.find(({ uri }) => uri === key) : undefined
  const args = (prompt ?? resource)?.args ?? []
  if (!chosen || !args.some(({ name }) => name === argument.name)) return null
  const others = args.filter(({ name }) => name !== argument.name)
  return using(manager, chosen, async (connection) => ({
    suggestions: await connection.suggest({ ...of, args: valuesFor(others, of.args) }),
  }))
}

/** Only arguments that the server asks for. An empty one is absent. */
const valuesFor = (args: readonly { readonly name: string }[], given: Values): Record<string, string> =>
  Object.fromEntries(args.flatMap(({ name }) => (given[name] ? [[name, given[name]]] : [])))

async function using(
  manager: Manager,
  { server, secret }: Chosen,
  use: (connection: ServerConnection) => Promise<Pick<ToolServerBody, 'parts' | 'suggestions'>>,
): Promise<ToolServerBody> {
  const { id, url } = server
  const signal = AbortSignal.timeout(checkMs)
  const owner = withoutUser(manager.owner)
  const credentials = credentialsOf({ ...refOf(manager, id), owner }, secret, egressOf(manager))
  try {
    return await withServer({ url, credentials }, manager.egress, signal, use, maxResourceResponseBytes)
  } catch (error) {
    const { state, failure } = await stateAfter(error, manager, id, signal)
    if (state === 'login') await updateToolServer(manager.env, owner, id, { state, failure })
    return { failure }
  }
}
