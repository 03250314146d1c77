// A question to several models through a connected browser, with models that answer, wait or fail.
import { expect, vi } from 'vitest'
import type { AnswerMessage } from '../../worker/contract/threads/messages.ts'
import { content } from './bindings.ts'
import { saying } from './provider.ts'
import { inside } from './sync-object.ts'
import { connected, freshId, me, newUser, recentThreads, turnArgs, type Wire } from './sync-wire.ts'
import { bindings } from './turns.ts'

export const models = ['kimi-k2', 'gpt-4o-mini', 'gpt-oss-120b'] as const
type Model = (typeof models)[number]

/** What each model does: it answers at once, after the promise, never, or refuses. */
type Behaviour = { readonly [name in Model]?: 'answers' | 'waits' | 'fails' | Promise<void> }

export const others = (...modelIds: readonly string[]) => modelIds.map((modelId) => ({ answerId: freshId('answer'), modelId }))
export const comparison = (text?: string, threadId?: string) => ({ ...turnArgs(text, threadId), compareWith: others(models[1], models[2]) })
export type Comparison = ReturnType<typeof comparison>
export const idsOf = ({ answerId, compareWith }: Comparison): readonly string[] => [answerId, ...compareWith.map((other) => other.answerId)]

type InThread = { readonly threadId: string }

/** A guest with a connected browser. */
export async function asker() {
  const user = await newUser()
  let wire: Wire = await connected(user, { queries: [me, recentThreads] })

  const code = (name: string, args: object) => wire.refusalOf(name, args)
  const thread = ({ threadId }: InThread) => wire.row('thread', threadId)
  const answer = (id: string) => wire.row('message', id)?.message as AnswerMessage | undefined
  return {
    user,
    wire: () => wire,
    reconnect: async () => {
      wire = await wire.reconnect()
    },
    /** The code of the refusal. */
    code,
    accepted: async (name: string, args: object) => expect(await code(name, args)).toBeUndefined(),
    thread,
    answer,
    ready: (args: InThread) => wire.until(() => thread(args)?.status === 'ready', 'the thread is ready'),
    stored: (id: string) => wire.until(() => answer(id) !== undefined, 'the answer'),
    /** Ending and price of each answer. */
    endings: (args: Comparison) => idsOf(args).map((id) => [answer(id)?.metadata.ending, answer(id)?.metadata.credits]),
    usedCredits: () =>
      content.prepare('select coalesce(sum(credits), 0) n from creditLedger where userId = ?').bind(user.userId).first('n'),
    count: (table: 'message' | 'generation' | 'thread') =>
      content.prepare(`select count(*) n from ${table} where userId = ?`).bind(user.userId).first('n'),

    /** Gives the next turns objects whose models do this. Returns the models that have received a question. */
    modelsThat: async (
      behaviour: Behaviour,
      turns: number = models.length,
      // By default a title never arrives.
      title: () => Promise<Response> = () => new Promise(() => undefined),
    ): Promise<ReadonlySet<string>> => {
      const asked = new Set<string>()
      vi.stubGlobal('fetch', (_input: unknown, init?: RequestInit) => {
        const headers = new Headers(init?.headers)
        if (headers.get('ai-language-model-streaming') !== 'true') return title()
        const name = headers.get('ai-language-model-id')?.split('/')[1] as Model
        asked.add(name)
        const does = behaviour[name] ?? 'waits'
        if (does === 'fails')
          return Promise.resolve(Response.json({ error: { message: 'no', type: 'invalid_request_error' } }, { status: 400 }))
        if (does instanceof Promise) return does.then(() => saying(`${name} says tea.`))
        return does === 'answers' ? Promise.resolve(saying(`${name} says tea.`)) : new Promise(() => undefined)
      })
      const objectIds = Array.from({ length: turns }, () => bindings.GENERATION.newUniqueId())
      for (const objectId of objectIds) await bindings.GENERATION.get(objectId).reachGateway()
      await inside(user, ({ nextObjectIds }) => void nextObjectIds.push(...objectIds))
      return asked
    },
  }
}

export type Asker = Awaited<ReturnType<typeof asker>>
