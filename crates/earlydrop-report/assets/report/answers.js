// The answers at the top of the page, one sentence for each question.

/** Adds the answers to `place`. */
function addAnswers(place) {
  if (data.answers.length === 0) return;
  const list = make("dl", { class: "answers", "data-figure": "answers" });
  const title = make("h2", { id: "answers-title", class: data.trace ? null : "unseen" }, data.trace ? "In numbers" : "Answers");
  place.append(make("section", { id: "answers", "aria-labelledby": "answers-title" }, title, list));
  const show = () => {
    const point = pointShown();
    list.replaceChildren(...data.answers.map(({ question, overall, at }) => make(
      "div",
      {},
      make("dt", {}, question),
      make("dd", {}, at[point] ? sentence(at[point]) : "Not measured here.", overall ? make("span", { class: "overall" }, `Over the sweep: ${sentence(overall)}`) : null),
    )));
    list.dataset.drawn = JSON.stringify([...list.querySelectorAll("dd")].map((answer) => answer.textContent));
  };
  show();
  watch(["point"], show);
}
