/**
 * The tools of one turn in Search mode, as the SDK offers them to a model. What they may do is decided in turn-web.ts.
 *
 * Always holds: a query was written before its writer had seen anything that this answer found, in this call or in the part of the answer
 * that it goes on with, so nothing that stands on a page chooses what is searched for. What was said and attached before, its person had
 * before them when they asked.
 */
import { type ModelMessage, type ToolSet, tool } from 'ai'
import { z } from 'zod'
import { maxPageReadsPerTurn, maxQueryChars, maxSearchesPerTurn } from '../../contract/limits.ts'
import { textOf } from '../../contract/messages.ts'
import { readPageTool, searchTool, sourcesOf } from '../../contract/tools.ts'
import { ToolFailure } from './tool-failure.ts'
import { pageForModel, searchForModel, type ToolContext, type ToolWorld, turnWeb } from './turn-web.ts'
import { hasSeenWeb } from './untrusted.ts'

const searchInput = z.object({ query: z.string().trim().min(1).max(maxQueryChars).describe('What to search for, in a few precise words.') })
const pageInput = z.object({
  url: z.string().trim().min(1).max(2000).describe('The address, exactly as a search result or the person gave it.'),
})

export function turnTools(context: ToolContext, world: ToolWorld): ToolSet {
  const web = turnWeb(context, world, { searches: maxSearchesPerTurn, reads: maxPageReadsPerTurn })
  const search = {
    [searchTool]: tool({
      description: 'Searches the web. Returns numbered results with title, address, date and a passage.',
      inputSchema: searchInput,
      execute: ({ query }, { abortSignal = never, messages }) => {
        if (hasSeenWeb(messages)) throw new ToolFailure('Nothing more is searched for once something was found.')
        return web.search(query, abortSignal)
      },
      toModelOutput: ({ output }) => ({ type: 'text', value: searchForModel(world.mark, output) }),
    }),
  }
  return {
    ...(goesOnFromWeb(context) ? {} : search),
    [readPageTool]: tool({
      description: 'Reads the text of one public web page that a search returned or the person named.',
      inputSchema: pageInput,
      execute: ({ url }, { abortSignal = never }) => web.readPage(url, abortSignal),
      toModelOutput: ({ output }) => ({ type: 'text', value: pageForModel(world.mark, output) }),
    }),
  }
}

/** The model is to go on with words that were written from what was found, and are no tool's output any more. */
const goesOnFromWeb = ({ continued = [] }: ToolContext): boolean =>
  sourcesOf(continued).length > 0 && textOf({ parts: continued }).trim() !== ''

/** Which of them the next step is offered; what is called all the same is refused above. */
export const offeredTools = (tools: ToolSet, messages: readonly ModelMessage[]): string[] =>
  Object.keys(tools).filter((name) => name !== searchTool || !hasSeenWeb(messages))

const never = new AbortController().signal
