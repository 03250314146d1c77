/**
 * Nearly valid frames of the sync protocol: a valid one, made from few ids so that frames interact, with a few random changes. Completely
 * invalid frames are rejected early and find nothing.
 */
import type { Rng } from './rng.ts'

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

export type FuzzIds = {
  readonly groupID: string
  readonly clientID: string
  /** Threads, messages and answers of this user, of others, and missing ones. */
  readonly rowIds: readonly string[]
  readonly clientIDs: readonly string[]
  readonly groupIDs: readonly string[]
  /** The next mutation id; each is returned once. */
  takeMutationID(): number
}

const oddities: readonly Json[] = [
  ...[null, true, false, '', ' ', '\u0000', '\ud800', '😀', '__proto__', 'constructor', 'a'.repeat(300), "'; drop table thread; --"],
  ...[0, -0, -1, 1.5, 1e308, -1e308, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE, 2 ** 53, 2 ** 31],
  ...[[], [[]], {}, [null], { op: 'put' }, JSON.parse('{"__proto__":{"op":"clear"}}') as Json],
]

const queryNames = [
  ...['me', 'models.all', 'threads.list', 'threads.recent', 'threads.whole', 'threads.one', 'threads.deleted', 'messages.deleted'],
  ...[
    'threads.pinned',
    'threads.archived',
    'threads.ofProject',
    'projects.all',
    'presence.ofThread',
    'summaries.ofThread',
    'shares.mine',
    'prompts.mine',
    'prompts.shared',
    'drafts.one',
    'memories.mine',
    'approvals.ofThread',
    'toolServers.mine',
    'toolServers.ofOrganizations',
  ],
  ...['messages.newest', 'messages.beginnings', 'messages.byIds', 'messages.bookmarked'],
  ...['organizations.mine', 'threads', 'nobody'],
]

function queryArgs(rng: Rng, name: string, { rowIds }: FuzzIds): Json {
  if (name === 'threads.ofProject') return [{ projectId: rng.pick(rowIds), limit: rng.pick([1, 50, 0]) }]
  if (['threads.list', 'threads.archived'].includes(name)) return [{ limit: rng.pick([1, 3, 50, 5000, 5001, 0]) }]
  if (name === 'threads.whole') return [{ limit: rng.pick([1, 200, 201]) }]
  if (name === 'messages.bookmarked') return [{ limit: rng.pick([1, 25, 1000, 1001]) }]
  if (name.endsWith('.deleted')) return [{ since: rng.below(3) }]
  if (name === 'messages.newest') return [{ threadId: rng.pick(rowIds), limit: rng.pick([1, 2, 50, 0]) }]
  if (name === 'messages.byIds') return [{ messageIds: [rng.pick(rowIds), rng.pick(rowIds)].slice(rng.below(3)) }]
  if (name === 'drafts.one') return [{ threadId: rng.pick([null, rng.pick(rowIds)]) }]
  return ['threads.one', 'messages.beginnings', 'presence.ofThread', 'summaries.ofThread', 'approvals.ofThread'].includes(name)
    ? [{ threadId: rng.pick(rowIds) }]
    : []
}

function queryOp(rng: Rng, ids: FuzzIds): Json {
  const hash = `h${rng.below(12)}`
  const op = rng.pick(['put', 'put', 'put', 'del', 'clear'])
  if (op !== 'put') return op === 'del' ? { op, hash } : { op }
  const name = rng.pick(queryNames)
  return { op, hash, name, args: bentAtTimes(rng, queryArgs(rng, name, ids)), ttl: rng.pick([0, 1, 300_000, -1]) }
}

const mutators: { readonly [name: string]: (rng: Rng, id: () => string) => Json } = {
  'threads.send': (rng, id) => ({
    ...{ threadId: id(), messageId: id(), answerId: id(), parentId: rng.chance(0.5) ? null : id() },
    ...{ modelId: rng.pick(['kimi-k2', 'kimi-k2', 'kimi-k2', 'kimi-k2', 'nothing']), text: '/demo chunks=1 delay=0', at: rng.below(1000) },
    ...(rng.chance(0.3) ? { compareWith: [{ answerId: id(), modelId: rng.pick(['gpt-4o-mini', 'kimi-k2']) }] } : {}),
  }),
  'threads.answer': (rng, id) => ({
    ...{ threadId: id(), answerId: id(), parentId: id(), modelId: 'kimi-k2', at: 1 },
    ...(rng.chance(0.5) ? { continueId: id() } : {}),
    ...(rng.chance(0.3) ? { insteadOf: id() } : {}),
  }),
  'threads.stop': (rng, id) => ({ threadId: id(), ...(rng.chance(0.5) ? { answerId: id() } : {}) }),
  'threads.rename': (rng, id) => ({ threadId: id(), title: rng.pick(['Title', ' ', '</title>', 'x'.repeat(100)]) }),
  'threads.show': (_rng, id) => ({ threadId: id(), messageId: id() }),
  'threads.fork': (_rng, id) => ({ threadId: id(), messageId: id(), newThreadId: id(), at: 1 }),
  'threads.setTurnCredits': (rng, id) => ({ threadId: id(), credits: rng.pick([null, 6, 0, 1_000]) }),
  'threads.setEffort': (rng, id) => ({ threadId: id(), modelId: 'kimi-k2', effort: rng.pick(['low', 'high', 'endless']) }),
  'threads.setOffTools': (rng, id) => ({ threadId: id(), offTools: rng.pick([[], ['web'], ['web', 'not an id'], Array(60).fill('web')]) }),
  'threads.pin': (rng, id) => ({ threadIds: [id(), id()].slice(rng.below(3)), isPinned: rng.chance(0.5), at: 1 }),
  'threads.archive': (rng, id) => ({ threadIds: [id(), id()].slice(rng.below(3)), isArchived: rng.chance(0.5), at: 1 }),
  'threads.move': (rng, id) => ({ threadIds: [id()], projectId: rng.chance(0.5) ? id() : null }),
  'threads.delete': (_rng, id) => ({ threadIds: [id(), id()], at: 1 }),
  'threads.restore': (_rng, id) => ({ threadIds: [id(), id()] }),
  'projects.create': (rng, id) => ({ id: id(), name: rng.pick(['Tea', ' ', 'x'.repeat(100)]), at: 1 }),
  'projects.update': (rng, id) => ({ id: id(), instructions: rng.pick(['Be short.', 'x'.repeat(9000)]), at: 1 }),
  'projects.delete': (_rng, id) => ({ id: id(), at: 1 }),
  'projects.restore': (_rng, id) => ({ id: id(), at: 1 }),
  'threads.markRead': (rng, id) => ({ threadId: id(), unreadAt: rng.below(3) }),
  'threads.claimNotice': (rng, id) => ({ threadId: id(), unreadAt: rng.below(3) }),
  'prompts.save': (rng, id) => ({
    id: id(),
    name: rng.pick(['Tea', ' ', 'x'.repeat(100)]),
    text: rng.pick(['Explain {{tea}}', '', 'x'.repeat(9000)]),
  }),
  'prompts.delete': (_rng, id) => ({ id: id() }),
  'prompts.restore': (_rng, id) => ({ id: id() }),
  'prompts.share': (rng, id) => ({ id: id(), organizationId: rng.chance(0.5) ? id() : null }),
  'memories.save': (rng, id) => ({ id: id(), text: rng.pick(['Likes tea', '', 'x'.repeat(400)]) }),
  'memories.delete': (_rng, id) => ({ id: id() }),
  'memories.restore': (_rng, id) => ({ id: id() }),
  'approvals.decide': (rng, id) => ({
    ...{ id: id(), answerId: id(), decision: rng.pick(['once', 'thread', 'deny']) },
    ...(rng.chance(0.3) ? { input: { title: 'Tea' } } : {}),
  }),
  'approvals.renew': (_rng, id) => ({ threadId: id(), messageId: id() }),
  'approvals.revoke': (_rng, id) => ({ threadId: id(), sourceId: 'notes', tool: 'save_note' }),
  'drafts.save': (rng, id) => ({
    ...{ threadId: rng.chance(0.3) ? null : id(), text: rng.pick(['', 'Half a thought']) },
    ...{ revision: id(), base: rng.chance(0.5) ? null : id() },
  }),
  'messages.bookmark': (rng, id) => ({ threadId: id(), messageId: id(), isBookmarked: rng.chance(0.5), at: 1 }),
  'shares.create': (rng, id) => ({
    ...{ threadId: id(), messageId: id(), name: rng.pick([null, 'Ada', 'x'.repeat(100)]) },
    ...{ lifetime: rng.pick([null, 'day', 'never']), isListed: rng.chance(0.5) },
  }),
  'shares.revoke': (_rng, id) => ({ id: id() }),
  'messages.delete': (_rng, id) => ({ threadId: id(), messageId: id(), at: 1 }),
  'messages.restore': (_rng, id) => ({ threadId: id(), messageId: id() }),
  'queue.add': (rng, id) => ({
    ...{ id: id(), threadId: id(), answerId: id(), modelId: 'kimi-k2', text: '/demo chunks=1 delay=0', at: 1 },
    ...(rng.chance(0.3) ? { compareWith: [{ answerId: id(), modelId: 'gpt-4o-mini' }] } : {}),
  }),
  'queue.edit': (_rng, id) => ({ id: id(), mode: 'chat' }),
  'queue.remove': (_rng, id) => ({ id: id() }),
  'queue.send': (_rng, id) => ({ id: id(), at: 1 }),
  'settings.update': (rng) => ({ nickname: `Name ${rng.below(100)}`, theme: rng.pick(['paper', 'nothing']) }),
  'threads.nothing': () => ({}),
}

function push(rng: Rng, ids: FuzzIds): Json {
  const mutations = Array.from({ length: 1 + rng.below(4) }, (): Json => {
    // Most other mutations need rows that a question creates, and are refused without one.
    const name = rng.chance(0.2) ? 'threads.send' : rng.pick(Object.keys(mutators))
    const args = mutators[name]?.(rng, () => rng.pick(ids.rowIds)) ?? null
    const mutation = { type: 'custom', clientID: ids.clientID, name, args: bentAtTimes(rng, [args]), timestamp: 1 }
    // An old one is ignored, one for a sibling starts at 1, and one from the future ends the connection.
    if (rng.chance(0.9)) return { ...mutation, id: ids.takeMutationID() }
    return rng.pick<Json>([
      { ...mutation, id: 1 },
      { ...mutation, id: 1, clientID: rng.pick(ids.clientIDs) },
      { ...mutation, id: 10_000 },
    ])
  })
  return { clientGroupID: rng.chance(0.99) ? ids.groupID : rng.pick(ids.groupIDs), mutations, pushVersion: 1, requestID: 'r', timestamp: 1 }
}

const bodies: { readonly [tag: string]: (rng: Rng, ids: FuzzIds) => Json } = {
  push,
  changeDesiredQueries: (rng, ids) => ({ desiredQueriesPatch: Array.from({ length: rng.below(4) }, () => queryOp(rng, ids)) }),
  deleteClients: (rng, { clientIDs }) => ({ clientIDs: [rng.pick(clientIDs)] }),
  ackMutationResponses: (rng, { clientIDs }) => ({ clientID: rng.pick(clientIDs), id: rng.below(50) }),
  pull: (rng, { groupIDs }) => ({ clientGroupID: rng.pick(groupIDs), cookie: null, requestID: 'r' }),
  updateAuth: () => ({ auth: 'x.y.z' }),
  initConnection: () => ({ desiredQueriesPatch: [] }),
  inspect: () => ({ id: 'i', op: 'version' }),
  ping: () => ({}),
  closeConnection: () => [],
}
/** Frames that end the connection are rare, or nothing else would be tested. */
const tags = [
  ...Array.from({ length: 12 }, () => 'push'),
  ...Array.from({ length: 8 }, () => 'changeDesiredQueries'),
  ...['deleteClients', 'ackMutationResponses', 'ackMutationResponses', 'pull', 'inspect', 'ping', 'closeConnection'],
]
const endings = ['updateAuth', 'initConnection']

export function fuzzFrame(rng: Rng, ids: FuzzIds): string {
  const tag = rng.chance(0.01) ? rng.pick(endings) : rng.pick(tags)
  let frame: Json = [tag, bodies[tag]?.(rng, ids) ?? null]
  if (rng.chance(0.06)) frame = bend(rng, frame, 1 + rng.below(5))
  const text = JSON.stringify(frame)
  if (!rng.chance(0.01)) return text
  const at = rng.below(text.length)
  return rng.pick([text.slice(0, at), text.slice(0, at) + rng.pick(['"', '}', '[', '\\', '\u0000', '\ud800']) + text.slice(at + 1)])
}

/** Arguments are changed more often than the frames around them, because they reach the product's code. */
const bentAtTimes = (rng: Rng, args: Json): Json =>
  Array.isArray(args) && args.length > 0 && rng.chance(0.3) ? bend(rng, args, 1 + rng.below(3)) : args

/** Replaces, removes, duplicates or adds something at about this depth. */
function bend(rng: Rng, value: Json, depth: number): Json {
  if (typeof value !== 'object' || value === null || depth === 0) return rng.pick(oddities)
  if (Array.isArray(value)) {
    const items = [...(value as readonly Json[])]
    if (items.length === 0 || rng.chance(0.1)) return rng.pick([[...items, ...items], [...items, rng.pick(oddities)], items.slice(1)])
    const at = depth > 2 ? items.length - 1 : rng.below(items.length)
    return items.with(at, bend(rng, items[at] ?? null, depth - 1))
  }
  const entries = Object.entries(value)
  if (entries.length === 0 || rng.chance(0.1)) return { ...value, [rng.pick(['__proto__x', 'op', 'id', 'userId', ''])]: rng.pick(oddities) }
  const [key, held] = rng.pick(entries)
  if (rng.chance(0.1)) return Object.fromEntries(entries.filter(([name]) => name !== key))
  return { ...value, [key]: bend(rng, held, depth - 1) }
}
