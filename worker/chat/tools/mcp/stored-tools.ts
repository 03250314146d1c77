/** Writes the tools of a server by the rule of consent (`contract/tools/tool-consent.ts`). Requests of members and of the owner can run at the same time. */
import { toolsAfterConsent, toolsAfterListing } from '../../../contract/tools/tool-consent.ts'
import type { ServerTool } from '../../../contract/tools/tool-servers.ts'
import type { DatabaseBindings } from '../../../db/shards.ts'
import { readToolServer, type ServerOwner, type ToolServerChanges, type ToolServerRow, updateTools } from '../../../db/tool-servers.ts'

type Ref = { readonly env: DatabaseBindings; readonly owner: ServerOwner; readonly id: string }

/** Chosen: more requests at the same time than change one server. */
const maxAttempts = 5

/** Null: nothing is written. Returns the row as it was before. Null if nothing was written. */
async function changeTools(
  { env, owner, id }: Ref,
  changesOf: (row: ToolServerRow) => ToolServerChanges | null,
): Promise<ToolServerRow | null> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const row = await readToolServer(env, owner, id)
    const changes = row && changesOf(row)
    if (!row || !changes) return null
    if (await updateTools(env, owner, row, changes)) return row
  }
  throw new Error('the tools of the server change too often')
}

type Listing = ToolServerChanges & { readonly tools: readonly ServerTool[]; readonly checkedAt: number }

/** Stores what a server offers now. `isRepeatWritten`: also an offer that is stored already. False if nothing was written. */
export const storeListing = async (
  ref: Ref,
  { checkedAt, ...listing }: Listing,
  { isRepeatWritten }: { readonly isRepeatWritten: boolean },
): Promise<boolean> =>
  (await changeTools(ref, (row) => {
    const changes: ToolServerChanges = { ...listing, tools: toolsAfterListing(row.tools, listing.tools) }
    return isRepeatWritten || !hasAll(row, changes) ? { ...changes, checkedAt } : null
  })) !== null

/** Accepts the definition with this digest, and switches the tool on. False if the server lists no such definition now. */
export const acceptTool = async (ref: Ref, name: string, digest: string): Promise<boolean> =>
  (await changeTools(ref, ({ tools, off }) => {
    const accepted = toolsAfterConsent(tools, name, digest)
    return accepted && { tools: accepted, off: off?.filter((one) => one !== name) ?? null }
  })) !== null

/** True for a row that has the changes already. */
export const hasAll = (row: ToolServerRow, changes: ToolServerChanges): boolean =>
  (Object.keys(changes) as (keyof ToolServerChanges)[]).every((name) => JSON.stringify(changes[name]) === JSON.stringify(row[name]))
