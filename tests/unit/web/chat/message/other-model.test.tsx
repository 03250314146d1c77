// Regenerating an answer with a model selected for it alone.
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { useOtherModel } from '../../../../../web/features/chat/message/message-actions.tsx'
import { RegenerateContext } from '../../../../../web/features/chat/message/regenerate-options.ts'
import { shownMessagesOf } from '../../../../../web/features/chat/message/shown-messages.ts'
import type { MessageActions } from '../../../../../web/features/chat/message/use-message-actions.ts'
import { serverNowMs } from '../../../../../web/lib/server-clock.ts'
import { dayOf } from '../../../../../worker/contract/access.ts'
import { searchesPerDay } from '../../../../../worker/contract/limits.ts'
import { model, usage } from '../../build.ts'
import { answer, metadata, question, thread } from '../build.ts'

const other = model({ id: 'other', name: 'Other' })
const found = answer('answer', 'question')
const messages = [question('question'), { ...found, message: { ...found.message, metadata: metadata({ mode: 'search' }) } }]

type OtherModel = ReturnType<typeof useOtherModel>

/** The menu below the answer to a search, for a user with this many searches used today. */
function menuAfter(search: number): { readonly menu: OtherModel; readonly regenerate: MessageActions['regenerate'] } {
  const regenerate = vi.fn<MessageActions['regenerate']>()
  const shown = shownMessagesOf(thread(messages)).find(({ kind }) => kind === 'answer')
  if (shown?.kind !== 'answer') throw new Error('no answer')
  const me = { plan: 'free', model: other, usage: usage({ search, day: dayOf(serverNowMs()) }) } as const
  const menus: OtherModel[] = []
  const Menu = () => {
    menus.push(useOtherModel(shown, { regenerate } as Partial<MessageActions> as MessageActions))
    return null
  }
  renderToStaticMarkup(
    <RegenerateContext value={{ models: [model(), other], me, canSearch: true, messages }}>
      <Menu />
    </RegenerateContext>,
  )
  const [menu] = menus
  if (!menu) throw new Error('no menu')
  return { menu, regenerate }
}

test.each([
  ['searches again', 0, 'search', undefined],
  ['does without a search when the day has none left, which its menu says', searchesPerDay.free, 'chat', 'Answers without search'],
] as const)('it %s', (_what, used, mode, note) => {
  const { menu, regenerate } = menuAfter(used)
  expect(menu.noteOf(other)).toBe(note)
  menu.onChoose('other')
  expect(regenerate).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ modelId: 'other', mode }))
})
