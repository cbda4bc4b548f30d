# Prints the number of findings and the mean sentiment of each topic group, and draws the means.

findings <- read.csv("findings.csv", fileEncoding = "UTF-8-BOM", na.strings = "", check.names = FALSE)
groups <- aggregate(Sentiment ~ TopicGroup, findings, function(values) c(findings = length(values), mean = mean(values)))
groups <- do.call(data.frame, groups)
groups <- groups[order(groups$Sentiment.mean), ]
print(groups, row.names = FALSE)

pdf("groups.pdf")
barplot(groups$Sentiment.mean, names.arg = groups$TopicGroup, horiz = TRUE, las = 1)
