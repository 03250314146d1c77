/**
 * The tools of one turn in Search mode, as the SDK offers them to a model. What they may do is decided in turn-web.ts.
 *
 * Always holds: a query was written before its writer had seen anything of the web, be it how a site failed to answer, in this call or in the
 * part of the answer that it goes on with, so nobody out there chooses what is searched for. What was said and attached before, its person
 * had before them when they asked.
 */
import { type ModelMessage, type ToolSet, tool } from 'ai'
import { z } from 'zod'
import { maxPageReadsPerTurn, maxQueryChars, maxSearchesPerTurn } from '../../contract/limits.ts'
import type { MessagePart } from '../../contract/messages.ts'
import { goesOnFromWeb, isSearch, isToolPart, readPageTool, searchOutputOf, searchTool } from '../../contract/tools.ts'
import { ToolFailure } from './tool-failure.ts'
import { pageForModel, searchForModel, type ToolContext, type ToolWorld, turnWeb } from './turn-web.ts'
import { hasSeenWeb } from './untrusted.ts'

const searchInput = z.object({ query: z.string().trim().min(1).max(maxQueryChars).describe('What to search for, in a few precise words.') })
const pageInput = z.object({
  url: z.string().trim().min(1).max(2000).describe('The address, exactly as a search result or the person gave it.'),
})

export function turnTools(context: ToolContext, world: ToolWorld): ToolSet {
  const searches = Math.max(0, maxSearchesPerTurn - (context.continued ?? []).filter(hasBeenAnswered).length)
  const web = turnWeb(context, world, { searches, reads: maxPageReadsPerTurn })
  const search = {
    [searchTool]: tool({
      description: 'Searches the web. Returns numbered results with title, address, date and a passage.',
      inputSchema: searchInput,
      execute: ({ query }, { abortSignal = never, messages }) => {
        if (hasSeenWeb(messages)) throw new ToolFailure('Nothing more is searched for once something was found or a page was opened.')
        return web.search(query, abortSignal)
      },
      toModelOutput: ({ output }) => ({ type: 'text', value: searchForModel(world.mark, output) }),
    }),
  }
  return {
    ...(searches === 0 || goesOnFromWeb(context.continued ?? []) ? {} : search),
    [readPageTool]: tool({
      description: 'Reads the text of one public web page that a search returned or the person named.',
      inputSchema: pageInput,
      execute: ({ url }, { abortSignal = never }) => web.readPage(url, abortSignal),
      toModelOutput: ({ output }) => ({ type: 'text', value: pageForModel(world.mark, output) }),
    }),
  }
}

/** One that failed may be tried again. */
const hasBeenAnswered = (part: MessagePart): boolean => isToolPart(part) && isSearch(part) && searchOutputOf(part) !== null

/** Which of them the next step is offered; what is called all the same is refused above. */
export const offeredTools = (tools: ToolSet, messages: readonly ModelMessage[]): string[] =>
  Object.keys(tools).filter((name) => name !== searchTool || !hasSeenWeb(messages))

const never = new AbortController().signal
