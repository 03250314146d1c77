// What users do: send, write, rename, queue, choose; open and close pages, and look at other queries.
import { type Mutation, Tab, type TabQuery } from './tab.ts'
import type { SimUser, World } from './world.ts'

const queriesAsked: readonly TabQuery[] = [
  { hash: 'me', name: 'me', args: [] },
  { hash: 'models', name: 'models.all', args: [] },
  { hash: 'list', name: 'threads.list', args: [{ limit: 3 }] },
  { hash: 'all', name: 'threads.list', args: [{ limit: 1000 }] },
  { hash: 'recent', name: 'threads.recent', args: [] },
  { hash: 'mine', name: 'organizations.mine', args: [] },
]

const organization: TabQuery = { hash: 'acme', name: 'organizations.one', args: [{ organizationId: 'acme-organization' }] }

/** All messages of the long thread, and a window of them. */
const longThread: readonly TabQuery[] = [1000, 20].map((limit) => {
  return { hash: `long-${limit}`, name: 'messages.newest', args: [{ threadId: 'long-thread', limit }] }
})

function queriesOf({ options }: World): readonly TabQuery[] {
  const organizations = options.hasOrganizations ? [organization] : []
  return [...queriesAsked, ...organizations, ...(options.messages ? longThread : [])]
}

type Act = readonly [name: string, args: unknown]

export function mutate(world: World, user: SimUser, tab: Tab): Mutation {
  const { rng, d1 } = world
  const pickId = (table: string) =>
    rng.pick([...d1.all<{ id: string }>(`select id from ${table} where userId = ?`, user.userId), { id: 'nothing' }]).id
  const threadId = rng.chance(0.9) ? pickId('thread') : rng.pick(d1.all<{ id: string }>('select id from thread').concat({ id: 'no' })).id
  const ids = { threadId, answerId: world.fresh('answer'), modelId: 'kimi-k2', at: world.nowMs }
  const mark = `mark:${tab.clientID}:${tab.made + 1}`
  const [head] = d1.all<{ headId: string | null }>('select headId from thread where id = ?', threadId)
  const acts: readonly (() => Act)[] = [
    () => ['settings.update', { nickname: mark }],
    () => ['settings.update', { nickname: mark }],
    () => ['settings.update', { pinnedModels: ['kimi-k2', mark] }],
    () => ['threads.rename', { threadId, title: mark }],
    () => ['threads.rename', { threadId, title: mark }],
    () => ['threads.send', { ...ids, threadId: world.fresh('thread'), messageId: world.fresh('said'), parentId: null, text: mark }],
    () => ['threads.send', { ...ids, messageId: world.fresh('said'), parentId: head?.headId ?? null, text: mark }],
    () => ['threads.answer', { ...ids, parentId: pickId('message') }],
    () => ['threads.stop', { threadId }],
    () => ['threads.delete', { threadIds: [threadId], at: world.nowMs }],
    () => ['threads.restore', { threadIds: [threadId] }],
    () => ['threads.show', { threadId, messageId: pickId('message') }],
    () => ['messages.delete', { threadId, messageId: pickId('message'), at: world.nowMs }],
    () => ['queue.add', { ...ids, id: world.fresh('queued'), text: mark }],
    () => ['queue.remove', { id: pickId('queuedMessage') }],
    () => ['queue.send', { id: pickId('queuedMessage'), at: world.nowMs }],
    () => ['threads.nothing', {}],
  ]
  const [name, args] = rng.pick(acts)()
  return tab.mutate(name, args)
}

export function changeDesiredQueries(world: World, tab: Tab): void {
  const { rng } = world
  const query = rng.pick(queriesOf(world))
  if (tab.wanted.has(query.hash)) tab.leave(query.hash)
  else tab.want(query, rng.pick([0, 60_000, 600_000]))
}

/** A page is closed, and another one opens with the browser's stored state, unsent mutations included. */
export function reload(world: World, user: SimUser, tab: Tab): Tab {
  world.cut(user, tab, 1001)
  user.tabs.splice(user.tabs.indexOf(tab), 1)
  return openTab(world, user, tab)
}

/** The browser's stored state is deleted, unsent mutations included. Its next page starts empty. */
export function restartEmpty(world: World, user: SimUser, tab: Tab): Tab {
  world.cut(user, tab, 1000)
  user.tabs.splice(user.tabs.indexOf(tab), 1)
  return openTab(world, user, null)
}

/** Another page, in an existing browser or a new one. */
export function openTab(world: World, user: SimUser, sibling: Tab | null): Tab {
  const tab = sibling
    ? new Tab(sibling.groupID, world.fresh('client'), sibling.snapshot)
    : new Tab(world.fresh('group'), world.fresh('client'))
  tab.mayEnd = world.options.isRestored ?? false
  world.addTab(user, tab, someQueries(world))
  return tab
}

const someQueries = (world: World): readonly TabQuery[] => queriesOf(world).filter(() => world.rng.chance(0.5))
