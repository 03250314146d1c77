// What people do: ask, write, rename, queue, choose; open pages, close them, look at something else.
import type { Rng } from '../../support/rng.ts'
import { type Mutation, Tab, type TabQuery } from './tab.ts'
import type { Person, World } from './world.ts'

export const queriesAsked: readonly TabQuery[] = [
  { hash: 'me', name: 'me', args: [] },
  { hash: 'models', name: 'models.all', args: [] },
  { hash: 'list', name: 'threads.list', args: [{ limit: 3 }] },
  { hash: 'all', name: 'threads.list', args: [{ limit: 1000 }] },
  { hash: 'recent', name: 'threads.recent', args: [] },
  { hash: 'mine', name: 'organizations.mine', args: [] },
]

type Act = readonly [name: string, args: unknown]

export function mutate(world: World, person: Person, tab: Tab): Mutation {
  const { rng, d1 } = world
  const pickId = (table: string, column = 'userId') =>
    rng.pick([...d1.all<{ id: string }>(`select id from ${table} where ${column} = ?`, person.userId), { id: 'nothing' }]).id
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
    () => ['threads.delete', { threadId, at: world.nowMs }],
    () => ['threads.restore', { threadId }],
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

export function desire({ rng }: World, tab: Tab): void {
  const query = rng.pick(queriesAsked)
  if (tab.wanted.has(query.hash)) tab.leave(query.hash)
  else tab.want(query, rng.pick([0, 60_000, 600_000]))
}

/** A page is closed, and another opened from what the browser had kept, unsent writes included. */
export function reload(world: World, person: Person, tab: Tab): Tab {
  world.cut(person, tab, 1001)
  person.tabs.splice(person.tabs.indexOf(tab), 1)
  return openTab(world, person, tab)
}

/** What the browser held is thrown away, unsent writes included; the next page of it starts from nothing. */
export function startAnew(world: World, person: Person, tab: Tab): Tab {
  world.cut(person, tab, 1000)
  person.tabs.splice(person.tabs.indexOf(tab), 1)
  return openTab(world, person, null)
}

/** Another page, of a browser that has some already, or of a new one. */
export function openTab(world: World, person: Person, sibling: Tab | null): Tab {
  const tab = sibling
    ? new Tab(sibling.groupID, world.fresh('client'), sibling.snapshot)
    : new Tab(world.fresh('group'), world.fresh('client'))
  tab.mayEnd = world.options.isRestored ?? false
  world.addTab(person, tab, someQueries(world.rng))
  return tab
}

const someQueries = (rng: Rng): readonly TabQuery[] => queriesAsked.filter(() => rng.chance(0.5))
