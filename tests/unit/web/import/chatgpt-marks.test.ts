// The marks in answers of ChatGPT become the words and links that ChatGPT shows. Marks without readable text are counted.
import { expect, test } from 'vitest'
import { chatGptConversation, readConversation, said } from '../../../support/read-import.ts'

type Stored = Readonly<Record<string, unknown>>

const mark = (...texts: readonly string[]): string => `\uE200${texts.join('\uE202')}\uE201`

const ask = said('user', 'Question')

const answered = async (text: string, metadata: Stored = {}) => {
  const { messages, problems } = await readConversation(chatGptConversation([ask, said('assistant', text, { metadata })]))
  return { text: messages[1]?.text, problems }
}
const removed = [{ reason: 'sources_missing', turns: [2] }]

test.each<readonly [text: string, metadata: Stored, readable: string, problems: readonly unknown[]]>([
  [
    `In ${mark('entity', '["city","Heidelberg","city in Germany"]')}, near ${mark('entity', '["poi","Karl Gate",0]')}.`,
    {},
    'In Heidelberg, near Karl Gate.',
    [],
  ],
  [`${mark('entity', '["people","O\'Neil [Jr.]"]')}`, {}, "O'Neil [Jr.]", []],
  [
    mark('entity', '["x","Long name"]'),
    { content_references: [{ matched_text: mark('entity', '["x","Long name"]'), type: 'alt_text', alt: 'Shown name' }] },
    'Shown name',
    [],
  ],
  [`See ${mark('url', 'the town page', 'https://town.example/bridge')}.`, {}, 'See [the town page](https://town.example/bridge).', []],
  [`See ${mark('url', 'the page', 'turn0search2')}.`, {}, 'See the page.', []],
  [`See ${mark('url', 'the page', 'javascript:alert(1)')}.`, {}, 'See the page.', []],
  [`Red.${mark('cite', 'turn0search1', 'turn0news2')}`, {}, 'Red.', removed],
  [
    `Red. ${mark('cite', 'turn0search1')}`,
    {
      content_references: [
        {
          matched_text: mark('cite', 'turn0search1'),
          type: 'grouped_webpages',
          items: [
            { title: 'Colors [A]', url: 'https://a.example/x_(y)' },
            { title: 'More', url: 'https://b.example/' },
            { title: 'More', url: 'https://b.example/' },
          ],
        },
      ],
    },
    'Red. ([Colors \\[A\\]](<https://a.example/x_(y)>), [More](https://b.example/))',
    [],
  ],
  [
    mark('navlist', 'Latest news', 'turn0news1'),
    {
      content_references: [
        {
          matched_text: mark('navlist', 'Latest news', 'turn0news1'),
          type: 'nav_list',
          items: [{ title: 'One', url: 'https://n.example/1' }],
        },
      ],
    },
    'Latest news ([One](https://n.example/1))',
    [],
  ],
  [
    mark('video', 'turn0video1'),
    { content_references: [{ matched_text: mark('video', 'turn0video1'), type: 'video', title: 'A clip', url: 'https://v.example/1' }] },
    '([A clip](https://v.example/1))',
    [],
  ],
  [mark('image_group', '{"layout":"carousel","query":["old bridge","gate"]}'), {}, 'old bridge, gate', []],
  [mark('products', '{"selections":[["turn0product1","Red kettle"],["turn0product2","Blue kettle"]]}'), {}, 'Red kettle, Blue kettle', []],
  [mark('product_entity', '["turn0product3","Green kettle"]'), {}, 'Green kettle', []],
  [mark('from_the_future', 'Readable words', 'turn1thing2'), {}, 'Readable words', []],
  [mark('i', 'turn0image1turn0image2'), {}, '', removed],
  ['Said\uE203 so\uE204.', {}, 'Said so.', []],
  ['Known【3†L1-L9】 or 【4:0†source】.', {}, 'Known or .', removed],
  ['Known【5†notes.pdf】.', {}, 'Known(notes.pdf).', []],
  [mark('url', '', 'https://x.example/'), {}, '[https://x.example/](https://x.example/)', []],
  [mark('filecite', 'turn0file1', 'L1-L9'), {}, '', removed],
  [mark('genui', '{"widget":{"title":"Weather","rows":["Sunny"]}}'), {}, 'Weather, Sunny', []],
  [
    'Known 【3†source】.',
    { citations: [{ metadata: { type: 'webpage', title: 'Page', url: 'https://p.example/', extra: { cited_message_idx: 3 } } }] },
    'Known ([Page](https://p.example/)).',
    [],
  ],
])('marks become their words or links: %j', async (text, metadata, readable, problems) => {
  expect(await answered(`Start. ${text} End.`, metadata)).toEqual({ text: `Start. ${readable} End.`, problems })
})

test('leaves the characters of a mark in the text of a user', async () => {
  const pasted = `Why ${mark('cite', 'turn0search1')}?`
  const { messages, problems } = await readConversation(chatGptConversation([said('user', pasted), said('assistant', 'A copied mark.')]))
  expect([messages[0]?.text, problems]).toEqual([pasted, []])
})
