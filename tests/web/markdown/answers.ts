/** Typical answers of models, with constructs that span lines and blocks. */
export const answers: Readonly<Record<string, string>> = {
  'words from both sides': `# Greeting

مرحبا بالعالم، **Ada**.

- واحد
- two
  1. שלוש
- four

> قال
>
> he said

| اسم | name |
|---|---|
| 1 | قمر |

\`npm install\` يثبت الحزم
`,

  'prose with headings': `# Tides

The **moon** pulls on the sea, the *sun* a little less. See [NOAA](https://example.com/tides "Tides") or <https://example.com>.

## Spring and neap
At full moon the pulls add up
and the range is largest.

A heading by underline
----------------------

Text with a hard\\
break, and one  
more.

***

### Done`,
  'nested lists': `Steps:

1. First
   - a point with \`code\`
   - another

     with a second paragraph
2. Second

   \`\`\`bash
   npm install

   npm start
   \`\`\`
3. Third
lazily continued

- [ ] open
- [x] done

* other list
- yet another`,
  'code of all kinds': `Inline \`a **b**\` and a block:

\`\`\`ts title="a.ts"
const a = 1

// # not a heading
const fence = "\`\`"
\`\`\`

~~~
- not a list

\`\`\`
~~~

\`\`\`\`markdown
\`\`\`js
nested()
\`\`\`
\`\`\`\`

    indented

    code

\`\`\`
never closed

# still code`,
  tables: `Compare:

| Model | Credits | Notes |
|:------|--------:|-------|
| A | 1 | \`x|y\` and **bold** |
| B | 2 | [link](https://example.com) |
no pipes, still a row

Name | Value
--- | ---
a | 1

| not a table |
text`,
  'quotes and html': `> A quote
> with **two** lines
and a lazy one

> > nested
>
> - list in it

<details>
<summary>More</summary>

Hidden **text**.

</details>

<!-- a comment -->

Line<br>break and <kbd>Ctrl</kbd>.

<div>
*markdown*
</div>

<script>

# after a blank line

<!-- a comment -->
H<sub>2</sub>O and <mark>**bold**
on two lines</mark>, <u>open

| H<sub>2</sub>O | <kbd>Ctrl</kbd><br/>x |
|---|---|
| <U>a | b</U> |
<br>
row`,
  'definitions on both sides': `See [one] and [the second][two], ![a picture][one] and [Two].

[one]: https://example.com/1 "First"

- a list with [two][]

Then \`[one]: not a definition\`.

[two]: <https://example.com/2>
[ONE]: https://example.com/ignored

And [one] once more.`,
  footnotes: `A claim[^1] and another[^note].

Text between.

[^1]: The first source.
[^note]: The second,

    with a paragraph of its own.

The end[^1].`,
  'footnotes of many blocks': `# Tides[^sea]

- one[^2] and \`[^sea]\`
- two[^sea]

| a[^2] | b |
|---|---|
| c[^none] | d[^3] |

[^2]: The **second**, see[^3].
[^sea]: The first.

    - with a list

[^3]: The third
goes on lazily.

[^unused]: Nobody refers to it.

The end[^2][^3].`,
  'formulas of all kinds': `The area is $\\pi r^2$, so \\(A = 3\\) costs $5 and not $10.

$$
E = mc^2

+ 0
$$

Then:
\\[
x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}
\\]
and
$$y = \\sum_{i=1}^n i_k$$
and in $$z$$ passing.

$$a = b
+ c
$$

1. First
   $$
   - d
   $$ where *d* is
2. Second \\[e_1 = f_2\\]
lazily

> $$
> [a]: /not-a-definition
> $$
after

- $$x

$$
g
$$ tail

| $h$ | \`$i$\` |
|---|---|
| $j \\| k$ | \\$l$ |

$$
open to the end

[b]: /u`,
  'diagrams of all kinds': `\`\`\`mermaid
graph TD
  A --> B
\`\`\`

- in a list
  \`\`\`mermaid
  pie
    "a" : 1
  \`\`\`
- and one that is open
  \`\`\`mermaid
  graph TD`,
  'emphasis and addresses in other scripts': `他说**“你好”**后走了。これは**「重要」**な点です、~~取消。~~됨, **(참고)**은[^１]

3~5天，价格100~200元，见 https://a.example/docs（中文）, **https://a.example/x**。 www.a.example。

- **注意：**https://a.example/b_c_ 🎉**重要！**です
- 「a@b.example」と（https://a.example/（x）

[^１]: **「脚注」**です。https://a.example/。

| \`a\\|b\` | P |
|---|---|
| $P(A|B)$ | \\(x || y\\) |
| $5/kg | 20$ |
`,
  'other scripts': `# 你好，世界

**加粗**文本。\`代码\`

العربية من اليمين

- 日本語のリスト
- ${'x'.repeat(500)}`,
}
