/** KV namespaces and R2 buckets by their HTTP interface: a deployment only needs them to exist. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type Account, jsonOf, pageOf, Refusal, type Route } from './cloudflare-account.ts'

const titled = z.strictObject({ title: z.string().min(1).max(512) })
const named = z.strictObject({ name: z.string().regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/) })

export const storeRoutes: readonly Route[] = [
  ['GET', /^\/storage\/kv\/namespaces$/, ({ namespaces }, { query }) => pageOf(namespaces, query)],
  [
    'POST',
    /^\/storage\/kv\/namespaces$/,
    ({ namespaces }, call) => {
      const { title } = jsonOf(call, titled)
      if (namespaces.some((namespace) => namespace.title === title))
        throw new Refusal(400, 10014, 'a namespace with this account ID and title already exists')
      const namespace = { id: randomBytes(16).toString('hex'), title }
      namespaces.push(namespace)
      return { result: { ...namespace, supports_url_encoding: true } }
    },
  ],
  [
    'GET',
    /^\/r2\/buckets\/([^/]+)$/,
    (account, _call, name = '') => {
      if (!withR2(account).buckets.includes(name)) throw new Refusal(404, 10006, 'The specified bucket does not exist.')
      return { result: { name, storage_class: 'Standard' } }
    },
  ],
  [
    'POST',
    /^\/r2\/buckets$/,
    (account, call) => {
      const { buckets } = withR2(account)
      const { name } = jsonOf(call, named)
      if (buckets.includes(name)) throw new Refusal(409, 10004, 'The bucket you tried to create already exists, and you own it.')
      buckets.push(name)
      return { result: { name, creation_date: new Date().toISOString(), storage_class: 'Standard' } }
    },
  ],
]

function withR2(account: Account): Account {
  if (!account.hasR2) throw new Refusal(403, 10042, 'Please enable R2 through the Cloudflare Dashboard.')
  return account
}
