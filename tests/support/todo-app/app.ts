// A second application on the sync server: two tables, three queries and three mutators.
import {
  ApplicationError,
  boolean,
  createBuilder,
  createSchema,
  defineMutatorsWithType,
  defineMutatorWithType,
  defineQueriesWithType,
  defineQueryWithType,
  relationships,
  string,
  table,
} from '@rocicorp/zero'
import * as z from 'zod/mini'

const list = table('list').columns({ id: string(), userId: string(), title: string() }).primaryKey('id')
const item = table('item').columns({ id: string(), listId: string(), userId: string(), text: string(), isDone: boolean() }).primaryKey('id')

const listRelations = relationships(list, ({ many }) => ({
  items: many({ sourceField: ['id'], destField: ['listId'], destSchema: item }),
}))

export const schema = createSchema({ tables: [list, item], relationships: [listRelations] })
type Schema = typeof schema
type Context = { readonly userId: string }
const zql = createBuilder(schema)

// Zero's default types are those of Parley.
const query = defineQueryWithType<Schema, Context>()
const mutator = defineMutatorWithType<Schema, Context>()

export const queries = defineQueriesWithType<Schema>()({
  lists: {
    mine: query(({ ctx }) => zql.list.where('userId', ctx.userId).orderBy('title', 'asc').related('items')),
    one: query(z.object({ listId: z.string() }), ({ args, ctx }) =>
      zql.list.where('id', args.listId).where('userId', ctx.userId).related('items').one(),
    ),
  },
  items: {
    open: query(({ ctx }) => zql.item.where('userId', ctx.userId).where('isDone', false)),
  },
})

export const mutators = defineMutatorsWithType<Schema>()({
  lists: {
    create: mutator(z.object({ id: z.string(), title: z.string() }), async ({ tx, args, ctx }) => {
      await tx.mutate.list.insert({ ...args, userId: ctx.userId })
    }),
  },
  items: {
    add: mutator(z.object({ id: z.string(), listId: z.string(), text: z.string() }), async ({ tx, args, ctx }) => {
      // A client may hold a part of the lists, so the server alone refuses.
      const list = tx.location === 'server' ? await tx.run(zql.list.where('id', args.listId).one()) : true
      if (!list) throw new ApplicationError('no such list', { details: { code: 'no_list' } })
      await tx.mutate.item.insert({ ...args, userId: ctx.userId, isDone: false })
    }),
    setDone: mutator(z.object({ id: z.string(), isDone: z.boolean() }), async ({ tx, args }) => {
      await tx.mutate.item.update(args)
    }),
  },
})
