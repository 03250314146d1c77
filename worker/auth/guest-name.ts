/** A guest's name: two words, derived from the user id. Names need not be unique. */

const adjectives = [
  ...['Amber', 'Bold', 'Brisk', 'Calm', 'Clever', 'Cosy', 'Curious', 'Eager', 'Gentle', 'Golden', 'Happy', 'Keen', 'Kind', 'Lively'],
  ...['Lucky', 'Mellow', 'Merry', 'Misty', 'Noble', 'Patient', 'Proud', 'Quick', 'Quiet', 'Silver', 'Snowy', 'Steady', 'Sunny', 'Swift'],
  ...['Tidy', 'Warm', 'Wise', 'Witty'],
]

const animals = [
  ...['Badger', 'Beaver', 'Bison', 'Crane', 'Curlew', 'Dolphin', 'Falcon', 'Ferret', 'Finch', 'Fox', 'Gecko', 'Hare', 'Heron', 'Ibis'],
  ...['Jay', 'Kestrel', 'Lark', 'Lynx', 'Marten', 'Mole', 'Newt', 'Otter', 'Owl', 'Panda', 'Plover', 'Puffin', 'Raven', 'Robin', 'Seal'],
  ...['Sparrow', 'Stoat', 'Wren'],
]

export function guestName(id: string): string {
  const hash = hashOf(id)
  return `${adjectives[hash % adjectives.length]} ${animals[(hash >>> 8) % animals.length]}`
}

/** FNV-1a, 32 bits. It distributes short strings well enough for this purpose. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return hash >>> 0
}
