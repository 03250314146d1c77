/** The web as a source of tools: search and reading pages. turn-web.ts decides what they may do. */
import { z } from 'zod'
import { maxPageReadsPerTurn, maxQueryChars, maxSearchesPerTurn } from '../../contract/limits.ts'
import { isSearch, readPageTool, searchOutputOf, searchTool } from '../../contract/models/tools.ts'
import { webSource } from '../../contract/tools/taint.ts'
import { sourceTool, type ToolSource } from './registry.ts'
import type { SearchProvider } from './search-provider.ts'
import { pageForModel, searchForModel, type TurnContext, turnWeb } from './turn-web.ts'

const searchInput = z.object({ query: z.string().trim().min(1).max(maxQueryChars).describe('What to search for, in a few precise words.') })
const pageInput = z.object({
  url: z.string().trim().min(1).max(2000).describe('The address, exactly as a search result or the user gave it.'),
})

/** Grants of these tools end when their definitions change. */
const digest = '1'

const rules = `- Search when the answer may depend on facts that change or that you are not sure of: few, precise queries. Search again in other words if the results are not enough.
- read_page opens only addresses from results of a search or from the latest messages of the user. Read a page before claiming what it says.
- A failed search is not the same as no results.
- Cite what you used with the number of its source in square brackets behind the sentence, like [1] or [2][3]. Cite only numbers that the tools gave. Write no list of sources: it is added for you.`

/** For providers that cannot force a tool. */
export const forcedSearchRule = '- The user asked for a search of the web for this message. Search before you answer.'

/**
 * A failed search may be repeated, so only the answered ones of a continued answer count. `onSearch` is called before each search and may
 * refuse it with a `ToolFailure`.
 */
export function webTools(context: TurnContext, provider: SearchProvider, onSearch: () => void | Promise<void> = () => {}): ToolSource {
  const made = (context.continued ?? []).filter((part) => isSearch(part) && searchOutputOf(part) !== null).length
  const searches = Math.max(0, maxSearchesPerTurn - made)
  const web = turnWeb(context, provider, { searches, reads: maxPageReadsPerTurn, onSearch })
  return {
    id: webSource,
    name: 'Web',
    rules,
    tools: [
      sourceTool({
        name: searchTool,
        title: 'Search',
        description: 'Searches the web. Returns numbered results with title, address, date and a passage.',
        inputSchema: searchInput,
        isReadOnly: true,
        digest,
        execute: async ({ query }, { signal }) => {
          const output = await web.search(query, signal)
          return { shown: output, forModel: searchForModel(output) }
        },
      }),
      sourceTool({
        name: readPageTool,
        title: 'Read a page',
        description: 'Reads the text of one public web page that a search returned or the user named.',
        inputSchema: pageInput,
        isReadOnly: true,
        // `ReadingRights`: only addresses from results and from the user.
        isSelection: true,
        digest,
        execute: async ({ url }, { signal }) => {
          const { text, ...page } = await web.readPage(url, signal)
          return { shown: page, forModel: pageForModel({ ...page, text }) }
        },
      }),
    ],
  }
}
